"""The hot loops: arrays and tensors in and out, no paper and no file.

One folder an operation. Each holds ``__init__.py`` (formula, shapes, the public function that dispatches on the
array's kind and device, ``cost``), ``reference.py`` (plain torch, the specification), ``cpu.py`` (numba, releases
the GIL, needs no torch) and ``cuda.py`` (Triton). They are apart so that a CPU run never imports torch or Triton.
``ICML_KERNELS=reference`` forces the reference everywhere.
"""
