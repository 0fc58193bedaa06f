// Clocks the system until its firmware ends; what it prints is shown. The exit status is 0 if it says PASS.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "Vsystem.h"
#include "verilated.h"

int main(int argc, char **argv) {
  auto context = std::make_unique<VerilatedContext>();
  context->randReset(2);
  context->randSeed(1);
  context->commandArgs(argc, argv);
  auto system = std::make_unique<Vsystem>(context.get());
  const unsigned long long most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000000000ull;
  std::string line;
  bool passed = false;
  system->rst = 1;
  for (unsigned long long clock = 0; clock < most; clock++) {
    system->clk = 0;
    system->eval();
    system->clk = 1;
    system->eval();
    if (clock == 8) system->rst = 0;
    if (clock <= 8) continue;
    if (system->printed) {
      // Shown in the clock after the write: each once.
      char c = char(system->character);
      std::putchar(c);
      std::fflush(stdout);
      if (c == '\n') line.clear();
      else line += c;
      passed = passed || line == "PASS";
    }
    if (system->finished) {
      system->final();
      return passed ? 0 : 1;
    }
  }
  std::fprintf(stderr, "system: the firmware has not ended after %llu clocks\n", most);
  return 2;
}
