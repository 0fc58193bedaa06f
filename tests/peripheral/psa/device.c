/* What the device's driver does, by Mbed TLS: the calls are compared, not AES. */
#include <mbedtls/ccm.h>
#include <mbedtls/cipher.h>
#include <mbedtls/cmac.h>
#include <mbedtls/gcm.h>
#include <string.h>
#include "my_aes.h"
static uint8_t key_of_slot[MY_AES_KEY_BYTES];
static int locked;
int cleared;
my_aes_status my_aes_init(my_aes_device *device, void *base) { (void)device; return base ? MY_AES_OK : MY_AES_ABSENT; }
my_aes_status my_aes_set_key(my_aes_device *device, unsigned slot, const uint8_t *key) {
  (void)device; (void)slot;
  memcpy(key_of_slot, key, sizeof key_of_slot);
  locked = 0;
  return MY_AES_OK;
}
my_aes_status my_aes_clear(my_aes_device *device) { (void)device; cleared++; locked = 1; return MY_AES_OK; }
static my_aes_status crypt(const my_aes_message *m, int encrypt) {
  unsigned bits = 8 * MY_AES_KEY_BYTES;
  int wrong = 0;
  if (locked) return MY_AES_REFUSED;
  if (m->mode == MY_AES_GCM) {
    mbedtls_gcm_context c;
    mbedtls_gcm_init(&c);
    mbedtls_gcm_setkey(&c, MBEDTLS_CIPHER_ID_AES, key_of_slot, bits);
    wrong = encrypt ? mbedtls_gcm_crypt_and_tag(&c, MBEDTLS_GCM_ENCRYPT, m->text_bytes, m->iv, m->iv_bytes, m->header, m->header_bytes, m->text, m->out, m->tag_bytes, m->tag)
                    : mbedtls_gcm_auth_decrypt(&c, m->text_bytes, m->iv, m->iv_bytes, m->header, m->header_bytes, m->tag, m->tag_bytes, m->text, m->out);
    return wrong ? MY_AES_FAILED : MY_AES_OK;
  }
  if (m->mode == MY_AES_CCM) {
    mbedtls_ccm_context c;
    mbedtls_ccm_init(&c);
    mbedtls_ccm_setkey(&c, MBEDTLS_CIPHER_ID_AES, key_of_slot, bits);
    wrong = encrypt ? mbedtls_ccm_encrypt_and_tag(&c, m->text_bytes, m->iv, m->iv_bytes, m->header, m->header_bytes, m->text, m->out, m->tag, m->tag_bytes)
                    : mbedtls_ccm_auth_decrypt(&c, m->text_bytes, m->iv, m->iv_bytes, m->header, m->header_bytes, m->text, m->out, m->tag, m->tag_bytes);
    return wrong ? MY_AES_FAILED : MY_AES_OK;
  }
  if (m->mode == MY_AES_CMAC) {
    uint8_t whole[16];
    mbedtls_cipher_cmac(mbedtls_cipher_info_from_type(MBEDTLS_CIPHER_AES_128_ECB), key_of_slot, bits, m->text, m->text_bytes, whole);
    memcpy(m->tag, whole, m->tag_bytes);
    return MY_AES_OK;
  }
  {
    mbedtls_cipher_type_t type = m->mode == MY_AES_CBC ? MBEDTLS_CIPHER_AES_128_CBC : m->mode == MY_AES_CTR ? MBEDTLS_CIPHER_AES_128_CTR
      : m->mode == MY_AES_OFB ? MBEDTLS_CIPHER_AES_128_OFB : m->mode == MY_AES_CFB128 ? MBEDTLS_CIPHER_AES_128_CFB128 : MBEDTLS_CIPHER_AES_128_ECB;
    mbedtls_cipher_context_t c;
    size_t done = 0, at;
    mbedtls_cipher_init(&c);
    mbedtls_cipher_setup(&c, mbedtls_cipher_info_from_type(type));
    mbedtls_cipher_setkey(&c, key_of_slot, (int)bits, encrypt ? MBEDTLS_ENCRYPT : MBEDTLS_DECRYPT);
    if (type == MBEDTLS_CIPHER_AES_128_CBC) mbedtls_cipher_set_padding_mode(&c, MBEDTLS_PADDING_NONE);
    if (type == MBEDTLS_CIPHER_AES_128_ECB) {
      for (at = 0; at < m->text_bytes; at += 16) mbedtls_cipher_update(&c, m->text + at, 16, m->out + at, &done);
      return MY_AES_OK;
    }
    return mbedtls_cipher_crypt(&c, m->iv, m->iv_bytes, m->text, m->text_bytes, m->out, &done) || done != m->text_bytes ? MY_AES_REFUSED : MY_AES_OK;
  }
}
my_aes_status my_aes_encrypt(my_aes_device *device, const my_aes_message *m) { (void)device; return crypt(m, 1); }
my_aes_status my_aes_decrypt(my_aes_device *device, const my_aes_message *m) { (void)device; return crypt(m, 0); }
