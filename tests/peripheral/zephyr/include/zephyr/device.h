/* A stand-in for Zephyr's devices: one instance, at an address of the test. */
#pragma once
#include <stdint.h>
struct device { const void *config, *api; void *data; };
extern int stand_in_registers;
extern const struct device *stand_in_device;
extern int (*stand_in_init)(const struct device *);
#define DEVICE_MMIO_ROM int rom
#define DEVICE_MMIO_RAM void *ram
#define DEVICE_MMIO_ROM_INIT(node) .rom = 0
#define DEVICE_MMIO_MAP(dev, flags) (*(void **)(dev)->data = &stand_in_registers)
#define DEVICE_MMIO_GET(dev) ((uintptr_t)*(void **)(dev)->data)
#define DT_DRV_INST(n) n
#define POST_KERNEL 0
#define DEVICE_DT_INST_DEFINE(n, init_fn, pm, data_, config_, level, priority, api_)                                    \
  static const struct device device_##n = {config_, api_, data_};                                                      \
  const struct device *stand_in_device = &device_##n;                                                                  \
  int (*stand_in_init)(const struct device *) = init_fn;
#define DT_INST_FOREACH_STATUS_OKAY(define) define(0)
