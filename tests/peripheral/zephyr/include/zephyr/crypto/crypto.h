/* A stand-in for Zephyr's crypto API: the names and types of it that a driver of ciphers uses. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zephyr/device.h>

enum { CAP_OPAQUE_KEY_HNDL = 1, CAP_RAW_KEY = 2, CAP_INPLACE_OPS = 8, CAP_SEPARATE_IO_BUFS = 16, CAP_SYNC_OPS = 32, CAP_ASYNC_OPS = 64, CAP_NO_IV_PREFIX = 256 };
enum cipher_algo { CRYPTO_CIPHER_ALGO_AES = 1 };
enum cipher_op { CRYPTO_CIPHER_OP_DECRYPT, CRYPTO_CIPHER_OP_ENCRYPT };
enum cipher_mode { CRYPTO_CIPHER_MODE_ECB = 1, CRYPTO_CIPHER_MODE_CBC, CRYPTO_CIPHER_MODE_CTR, CRYPTO_CIPHER_MODE_CCM, CRYPTO_CIPHER_MODE_GCM };
struct cipher_ctx;
struct cipher_pkt {
  uint8_t *in_buf;
  int in_len;
  uint8_t *out_buf;
  int out_buf_max, out_len;
  struct cipher_ctx *ctx;
};
struct cipher_aead_pkt {
  struct cipher_pkt *pkt;
  uint8_t *ad;
  uint32_t ad_len;
  uint8_t *tag;
};
struct cipher_ops {
  enum cipher_mode cipher_mode;
  union {
    int (*block_crypt_hndlr)(struct cipher_ctx *, struct cipher_pkt *);
    int (*cbc_crypt_hndlr)(struct cipher_ctx *, struct cipher_pkt *, uint8_t *);
    int (*ctr_crypt_hndlr)(struct cipher_ctx *, struct cipher_pkt *, uint8_t *);
    int (*ccm_crypt_hndlr)(struct cipher_ctx *, struct cipher_aead_pkt *, uint8_t *);
    int (*gcm_crypt_hndlr)(struct cipher_ctx *, struct cipher_aead_pkt *, uint8_t *);
  };
};
struct aead_params { uint16_t tag_len, nonce_len; };
struct cipher_ctx {
  struct cipher_ops ops;
  union { const uint8_t *bit_stream; void *handle; } key;
  const struct device *device;
  void *drv_sessn_state;
  union { struct aead_params ccm_info, gcm_info; struct { uint32_t ctr_len; } ctr_info; } mode_params;
  uint16_t keylen, flags;
};
struct crypto_driver_api {
  int (*query_hw_caps)(const struct device *);
  int (*cipher_begin_session)(const struct device *, struct cipher_ctx *, enum cipher_algo, enum cipher_mode, enum cipher_op);
  int (*cipher_free_session)(const struct device *, struct cipher_ctx *);
};
