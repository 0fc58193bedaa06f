/* The entry points of the PSA driver beside the PSA functions of Mbed TLS, on random calls. */
#include <stdio.h>
#include <string.h>
#include "my_aes_psa.h"
extern int cleared;
#define MUST(what) do { if (!(what)) { printf("line %d: %s\n", __LINE__, #what); return 1; } } while (0)
static uint32_t state = 1;
static uint8_t random_byte(void) { state = state * 1664525u + 1013904223u; return (uint8_t)(state >> 24); }
static void fill(uint8_t *to, size_t count) { while (count--) *to++ = random_byte(); }
int main(void) {
  static const psa_algorithm_t ciphers[] = {PSA_ALG_ECB_NO_PADDING, PSA_ALG_CBC_NO_PADDING, PSA_ALG_CFB, PSA_ALG_OFB, PSA_ALG_CTR};
  static const psa_algorithm_t aeads[] = {PSA_ALG_GCM, PSA_ALG_CCM, PSA_ALG_AEAD_WITH_SHORTENED_TAG(PSA_ALG_GCM, 12), PSA_ALG_AEAD_WITH_SHORTENED_TAG(PSA_ALG_CCM, 6)};
  static const psa_algorithm_t macs[] = {PSA_ALG_CMAC, PSA_ALG_TRUNCATED_MAC(PSA_ALG_CMAC, 8)};
  uint8_t key[16], iv[16], header[40], text[80], mine[112], theirs[112], back[112];
  size_t size, length, wanted, n, i;
  MUST(psa_crypto_init() == PSA_SUCCESS);
  for (n = 0; n < 400; n++) {
    psa_algorithm_t cipher = ciphers[n % 5], aead = aeads[n % 4], mac = macs[n % 2];
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_key_id_t id;
    size_t header_size = random_byte() % 40, tag = PSA_ALG_AEAD_GET_TAG_LENGTH(aead), iv_size = cipher == PSA_ALG_ECB_NO_PADDING ? 0 : 16;
    fill(key, 16); fill(iv, 16); fill(header, 40); fill(text, 80);
    size = 1 + random_byte() % 80;
    psa_set_key_type(&attributes, PSA_KEY_TYPE_AES);
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_ENCRYPT | PSA_KEY_USAGE_DECRYPT | PSA_KEY_USAGE_SIGN_MESSAGE);
    if (!n) {
      MUST(my_aes_psa_cipher_encrypt(&attributes, key, 16, cipher, iv, iv_size, text, 16, mine, 16, &length) == PSA_ERROR_BAD_STATE);
      MUST(my_aes_psa_init(0) == PSA_ERROR_HARDWARE_FAILURE);
      MUST(my_aes_psa_init(&state) == PSA_SUCCESS);
    }
    /* Ciphers. */
    if (iv_size == 0 || cipher == PSA_ALG_CBC_NO_PADDING) size = (size + 15) / 16 * 16;
    psa_set_key_algorithm(&attributes, cipher);
    MUST(psa_import_key(&attributes, key, 16, &id) == PSA_SUCCESS);
    MUST(my_aes_psa_cipher_encrypt(&attributes, key, 16, cipher, iv, iv_size, text, size, mine + iv_size, sizeof mine - 16, &length) == PSA_SUCCESS);
    MUST(length == size);
    memcpy(mine, iv, iv_size);
    MUST(psa_cipher_decrypt(id, cipher, mine, iv_size + size, theirs, sizeof theirs, &wanted) == PSA_SUCCESS);
    MUST(wanted == size && !memcmp(theirs, text, size));
    MUST(my_aes_psa_cipher_decrypt(&attributes, key, 16, cipher, mine, iv_size + size, back, sizeof back, &length) == PSA_SUCCESS);
    MUST(length == size && !memcmp(back, text, size));
    MUST(my_aes_psa_cipher_encrypt(&attributes, key, 16, cipher, iv, iv_size, text, size, mine, size - 1, &length) == PSA_ERROR_BUFFER_TOO_SMALL);
    MUST(my_aes_psa_cipher_encrypt(&attributes, key, 32, cipher, iv, iv_size, text, size, mine, sizeof mine, &length) == PSA_ERROR_NOT_SUPPORTED);
    MUST(my_aes_psa_cipher_encrypt(&attributes, key, 16, PSA_ALG_CBC_PKCS7, iv, 16, text, size, mine, sizeof mine, &length) == PSA_ERROR_NOT_SUPPORTED);
    MUST(iv_size == 0 || my_aes_psa_cipher_decrypt(&attributes, key, 16, cipher, mine, iv_size - 1, back, sizeof back, &length) == PSA_ERROR_INVALID_ARGUMENT);
    MUST(my_aes_psa_cipher_encrypt(&attributes, key, 16, cipher, iv, iv_size, text, 0, mine, sizeof mine, &length) == PSA_SUCCESS && length == 0);
    MUST(my_aes_psa_cipher_encrypt(&attributes, key, 32, cipher, iv, iv_size, text, 0, mine, sizeof mine, &length) == PSA_ERROR_NOT_SUPPORTED);
    psa_destroy_key(id);
    /* Authenticated ones. */
    psa_set_key_algorithm(&attributes, aead);
    MUST(psa_import_key(&attributes, key, 16, &id) == PSA_SUCCESS);
    MUST(psa_aead_encrypt(id, aead, iv, 12, header, header_size, text, size, theirs, sizeof theirs, &wanted) == PSA_SUCCESS);
    MUST(my_aes_psa_aead_encrypt(&attributes, key, 16, aead, iv, 12, header, header_size, text, size, mine, sizeof mine, &length) == PSA_SUCCESS);
    MUST(length == wanted && length == size + tag && !memcmp(mine, theirs, length));
    MUST(my_aes_psa_aead_encrypt(&attributes, key, 16, aead, iv, 12, header, header_size, text, size, back, size + tag - 1, &wanted) == PSA_ERROR_BUFFER_TOO_SMALL);
    MUST(my_aes_psa_aead_decrypt(&attributes, key, 16, aead, iv, 12, header, header_size, mine, length, back, sizeof back, &wanted) == PSA_SUCCESS);
    MUST(wanted == size && !memcmp(back, text, size));
    mine[random_byte() % length] ^= 1u << random_byte() % 8;
    MUST(my_aes_psa_aead_decrypt(&attributes, key, 16, aead, iv, 12, header, header_size, mine, length, back, sizeof back, &wanted) == PSA_ERROR_INVALID_SIGNATURE);
    MUST(wanted == 0);
    MUST(my_aes_psa_aead_decrypt(&attributes, key, 16, aead, iv, 12, header, header_size, mine, tag - 1, back, sizeof back, &wanted) == PSA_ERROR_INVALID_ARGUMENT);
    MUST(aead != PSA_ALG_GCM || my_aes_psa_aead_encrypt(&attributes, key, 16, aead, iv, 16, header, 0, text, size, mine, sizeof mine, &length) == PSA_ERROR_NOT_SUPPORTED);
    psa_destroy_key(id);
    /* CMAC. */
    psa_set_key_algorithm(&attributes, mac);
    MUST(psa_import_key(&attributes, key, 16, &id) == PSA_SUCCESS);
    MUST(psa_mac_compute(id, mac, text, size, theirs, sizeof theirs, &wanted) == PSA_SUCCESS);
    MUST(my_aes_psa_mac_compute(&attributes, key, 16, mac, text, size, mine, sizeof mine, &length) == PSA_SUCCESS);
    MUST(length == wanted && !memcmp(mine, theirs, length));
    MUST(my_aes_psa_mac_compute(&attributes, key, 16, PSA_ALG_HMAC(PSA_ALG_SHA_256), text, size, mine, sizeof mine, &length) == PSA_ERROR_NOT_SUPPORTED);
    psa_destroy_key(id);
  }
  for (i = 0; i < 16; i++) MUST(cleared > 400);
  puts("PASS");
  return 0;
}
