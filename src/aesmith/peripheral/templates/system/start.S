# From reset: the stack, variables, the vector of interrupts, then main; it does not come back.
  .section .text.start
  .global _start
_start:
  la sp, _stack
  la t0, trap
  csrw mtvec, t0
  la t0, _data
  la t1, _data_end
  la t2, _data_load
1:
  bgeu t0, t1, 2f
  lw t3, 0(t2)
  sw t3, 0(t0)
  addi t0, t0, 4
  addi t2, t2, 4
  j 1b
2:
  la t0, _bss
  la t1, _bss_end
3:
  bgeu t0, t1, 4f
  sw zero, 0(t0)
  addi t0, t0, 4
  j 3b
4:
  call main
5:
  j 5b
