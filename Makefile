# The everyday commands. Each sets up what it needs first; the rest is CMake (see CMakePresets.json).
.PHONY: demo test bench setup clean

demo:   ## train the digits network and show how well it reads; options go into ARGS="--epochs 5"
	@tools/setup.sh demo
	cmake --preset release
	cmake --build --preset release --target digits
	build/release/examples/digits/digits $(ARGS)

test:   ## build and run all tests
	@tools/setup.sh test
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev

bench:  ## compare tt with hand-written Eigen and say which goals are met: run time, heap, compile time; some minutes
	@tools/setup.sh bench
	cmake --preset release -DTT_BUILD_BENCH=ON
	cmake --build --preset release --target bench
	bench/peers/compare.py --rounds 5
	build/release/bench/warm_step
	build/release/bench/expression_cost
	bench/compile/compile.py

setup:  ## everything that demo, test and bench need
	@tools/setup.sh demo test bench

clean:
	rm -rf build
