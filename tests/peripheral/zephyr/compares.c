/* Sessions of the Zephyr driver beside what Mbed TLS makes of the same calls. */
#include <errno.h>
#include <mbedtls/aes.h>
#include <mbedtls/ccm.h>
#include <mbedtls/gcm.h>
#include <stdio.h>
#include <string.h>
#include <zephyr/crypto/crypto.h>
extern int cleared;
int stand_in_registers;
#define MUST(what) do { if (!(what)) { printf("line %d, round %d: %s\n", __LINE__, n, #what); return 1; } } while (0)
static uint32_t state = 1;
static uint8_t random_byte(void) { state = state * 1664525u + 1013904223u; return (uint8_t)(state >> 24); }
static void fill(uint8_t *to, size_t count) { while (count--) *to++ = random_byte(); }
static const struct crypto_driver_api *api;
static int begin(struct cipher_ctx *ctx, const uint8_t *key, enum cipher_mode mode, enum cipher_op op, int flags) {
  ctx->device = stand_in_device;
  ctx->key.bit_stream = key;
  ctx->keylen = 16;
  ctx->flags = (uint16_t)(CAP_RAW_KEY | CAP_SYNC_OPS | flags);
  return api->cipher_begin_session(stand_in_device, ctx, CRYPTO_CIPHER_ALGO_AES, mode, op);
}
int main(void) {
  int n = -1, i;
  uint8_t key[16], iv[16], text[96], header[40], mine[128], theirs[128], back[128], tag[16], other[16], first[16], stream[16];
  struct cipher_ctx full[5];
  api = stand_in_device->api;
  MUST(stand_in_init(stand_in_device) == 0);
  MUST(api->query_hw_caps(stand_in_device) == (CAP_RAW_KEY | CAP_SEPARATE_IO_BUFS | CAP_INPLACE_OPS | CAP_SYNC_OPS | CAP_NO_IV_PREFIX));
  memset(full, 0, sizeof full);
  for (i = 0; i < 4; i++) MUST(begin(&full[i], iv, CRYPTO_CIPHER_MODE_ECB, CRYPTO_CIPHER_OP_ENCRYPT, CAP_INPLACE_OPS) == 0);
  MUST(begin(&full[4], iv, CRYPTO_CIPHER_MODE_ECB, CRYPTO_CIPHER_OP_ENCRYPT, CAP_INPLACE_OPS) == -ENOSPC);
  for (i = 0; i < 4; i++) MUST(api->cipher_free_session(stand_in_device, &full[i]) == 0);
  MUST(api->cipher_free_session(stand_in_device, &full[0]) == -EINVAL);
  MUST(begin(full, iv, CRYPTO_CIPHER_MODE_ECB, CRYPTO_CIPHER_OP_ENCRYPT, CAP_ASYNC_OPS) == -ENOTSUP);
  MUST(begin(full, iv, (enum cipher_mode)9, CRYPTO_CIPHER_OP_ENCRYPT, CAP_INPLACE_OPS) == -ENOTSUP);
  full->mode_params.ctr_info.ctr_len = 33;
  MUST(begin(full, iv, CRYPTO_CIPHER_MODE_CTR, CRYPTO_CIPHER_OP_ENCRYPT, CAP_INPLACE_OPS) == -EINVAL);
  for (n = 0; n < 200; n++) {
    struct cipher_ctx enc = {0}, dec = {0};
    struct cipher_pkt pkt = {0};
    struct cipher_aead_pkt aead = {&pkt, header, 0, tag};
    mbedtls_aes_context aes;
    int prefix = n & 1 ? 16 : 0, flags = prefix ? CAP_SEPARATE_IO_BUFS : CAP_SEPARATE_IO_BUFS | CAP_NO_IV_PREFIX;
    int size = 16 * (1 + random_byte() % 5), odd = 1 + random_byte() % 80;
    size_t offset = 0;
    fill(key, 16); fill(iv, 16); fill(text, 96); fill(header, 40);
    mbedtls_aes_init(&aes);
    mbedtls_aes_setkey_enc(&aes, key, 128);
    /* ECB: a block, in place; the key is the session's own. */
    MUST(begin(&enc, key, CRYPTO_CIPHER_MODE_ECB, CRYPTO_CIPHER_OP_ENCRYPT, CAP_INPLACE_OPS) == 0);
    memcpy(other, key, 16);
    memset(key, 0, 16);
    memcpy(mine, text, 16);
    pkt = (struct cipher_pkt){.in_buf = mine, .in_len = 16};
    MUST(enc.ops.block_crypt_hndlr(&enc, &pkt) == 0 && pkt.out_len == 16);
    mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_ENCRYPT, text, theirs);
    MUST(!memcmp(mine, theirs, 16));
    pkt.in_len = 32;
    MUST(enc.ops.block_crypt_hndlr(&enc, &pkt) == -EINVAL);
    MUST(api->cipher_free_session(stand_in_device, &enc) == 0);
    memcpy(key, other, 16);
    /* CBC, with the IV before the text and without. */
    MUST(begin(&enc, key, CRYPTO_CIPHER_MODE_CBC, CRYPTO_CIPHER_OP_ENCRYPT, flags) == 0);
    MUST(begin(&dec, key, CRYPTO_CIPHER_MODE_CBC, CRYPTO_CIPHER_OP_DECRYPT, flags) == 0);
    pkt = (struct cipher_pkt){.in_buf = text, .in_len = size, .out_buf = mine, .out_buf_max = size + prefix};
    MUST(enc.ops.cbc_crypt_hndlr(&enc, &pkt, iv) == 0 && pkt.out_len == size + prefix);
    memcpy(first, iv, 16);
    mbedtls_aes_crypt_cbc(&aes, MBEDTLS_AES_ENCRYPT, (size_t)size, first, text, theirs);
    MUST(!memcmp(mine + prefix, theirs, (size_t)size) && (!prefix || !memcmp(mine, iv, 16)));
    pkt = (struct cipher_pkt){.in_buf = mine, .in_len = size + prefix, .out_buf = back, .out_buf_max = size};
    MUST(dec.ops.cbc_crypt_hndlr(&dec, &pkt, prefix ? mine : iv) == 0 && pkt.out_len == size && !memcmp(back, text, (size_t)size));
    pkt.out_buf_max = size - 1;
    MUST(dec.ops.cbc_crypt_hndlr(&dec, &pkt, iv) == -EINVAL);
    pkt = (struct cipher_pkt){.in_buf = text, .in_len = odd | 1, .out_buf = mine, .out_buf_max = 128};
    MUST(enc.ops.cbc_crypt_hndlr(&enc, &pkt, iv) == -EINVAL && pkt.out_len == 0);
    MUST(api->cipher_free_session(stand_in_device, &enc) == 0 && api->cipher_free_session(stand_in_device, &dec) == 0);
    /* CTR: a counter of 32 bits from 0 behind the IV. */
    enc.mode_params.ctr_info.ctr_len = 32;
    MUST(begin(&enc, key, CRYPTO_CIPHER_MODE_CTR, CRYPTO_CIPHER_OP_ENCRYPT, CAP_SEPARATE_IO_BUFS) == 0);
    pkt = (struct cipher_pkt){.in_buf = text, .in_len = odd, .out_buf = mine, .out_buf_max = odd};
    MUST(enc.ops.ctr_crypt_hndlr(&enc, &pkt, iv) == 0 && pkt.out_len == odd);
    memcpy(first, iv, 12);
    memset(first + 12, 0, 4);
    mbedtls_aes_crypt_ctr(&aes, (size_t)odd, &offset, first, stream, text, theirs);
    MUST(!memcmp(mine, theirs, (size_t)odd));
    MUST(api->cipher_free_session(stand_in_device, &enc) == 0);
    /* CCM and GCM. */
    for (i = 0; i < 2; i++) {
      enum cipher_mode mode = i ? CRYPTO_CIPHER_MODE_GCM : CRYPTO_CIPHER_MODE_CCM;
      int nonce = i ? 12 : 13, bytes = i ? 16 : 8;
      enc.mode_params.ccm_info = dec.mode_params.ccm_info = (struct aead_params){(uint16_t)bytes, (uint16_t)nonce};
      MUST(begin(&enc, key, mode, CRYPTO_CIPHER_OP_ENCRYPT, CAP_SEPARATE_IO_BUFS) == 0);
      MUST(begin(&dec, key, mode, CRYPTO_CIPHER_OP_DECRYPT, CAP_SEPARATE_IO_BUFS) == 0);
      aead.ad_len = random_byte() % 40;
      pkt = (struct cipher_pkt){.in_buf = text, .in_len = odd, .out_buf = mine, .out_buf_max = 128};
      MUST((i ? enc.ops.gcm_crypt_hndlr(&enc, &aead, iv) : enc.ops.ccm_crypt_hndlr(&enc, &aead, iv)) == 0 && pkt.out_len == odd + bytes);
      if (i) {
        mbedtls_gcm_context gcm;
        mbedtls_gcm_init(&gcm);
        mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, key, 128);
        mbedtls_gcm_crypt_and_tag(&gcm, MBEDTLS_GCM_ENCRYPT, (size_t)odd, iv, 12, header, aead.ad_len, text, theirs, 16, other);
        mbedtls_gcm_free(&gcm);
      } else {
        mbedtls_ccm_context ccm;
        mbedtls_ccm_init(&ccm);
        mbedtls_ccm_setkey(&ccm, MBEDTLS_CIPHER_ID_AES, key, 128);
        mbedtls_ccm_encrypt_and_tag(&ccm, (size_t)odd, iv, 13, header, aead.ad_len, text, theirs, other, 8);
        mbedtls_ccm_free(&ccm);
      }
      MUST(!memcmp(mine, theirs, (size_t)odd) && !memcmp(tag, other, (size_t)bytes));
      pkt = (struct cipher_pkt){.in_buf = mine, .in_len = odd, .out_buf = back, .out_buf_max = odd};
      MUST((i ? dec.ops.gcm_crypt_hndlr(&dec, &aead, iv) : dec.ops.ccm_crypt_hndlr(&dec, &aead, iv)) == 0 && pkt.out_len == odd);
      MUST(!memcmp(back, text, (size_t)odd));
      tag[random_byte() % bytes] ^= 4;
      MUST((i ? dec.ops.gcm_crypt_hndlr(&dec, &aead, iv) : dec.ops.ccm_crypt_hndlr(&dec, &aead, iv)) == -EBADMSG && pkt.out_len == 0);
      MUST(api->cipher_free_session(stand_in_device, &enc) == 0 && api->cipher_free_session(stand_in_device, &dec) == 0);
    }
    mbedtls_aes_free(&aes);
  }
  MUST(cleared > 200);
  printf("PASS\n");
  return 0;
}
