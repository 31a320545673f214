"""What docs/semantics.md says of PyTorch and NumPy: semantics_peers.py

Functions are named after the programs there; each asserts the outcome that is stated. Exits with 77, which ctest takes as
skipped, where neither is installed.
"""
import sys
import threading

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None


def refused(call, *arguments):
    try:
        call(*arguments)
    except (RuntimeError, ValueError, TypeError):   # NumPy's errors of casting are TypeErrors
        return True
    return False


def add(x, y):
    x += y


class Both:
    """What the two have in common; `of` makes an array."""

    def p01(self):
        a = self.of([1.0, 2, 3])
        b = a
        b += 1
        assert a.tolist() == [2, 3, 4]

    def p02(self):
        a = self.of([1.0, 2, 3])
        b = a
        a = a + 1
        assert b.tolist() == [1, 2, 3]

    def p03(self):
        a, b = self.of([1.0, 2]), self.of([5.0, 6])
        a = b
        a += 1
        assert b.tolist() == [6, 7]

    def p04(self):
        a = self.of([1.0, 2])
        b = self.copy(a)
        b += 1
        assert a.tolist() == [1, 2]

    def p05(self):
        a = self.of([1.0, 2, 3])
        a[0:2] = 0
        assert a.tolist() == [0, 0, 3]

    def p06(self):
        a = self.of([1.0, 2, 3])
        s = a[0:2]
        s = self.of([0.0, 0])
        assert a.tolist() == [1, 2, 3] and s[0] == 0

    def p07(self):
        a = self.of([1.0, 2, 3, 4])
        s = a[1:4]
        t = s[1:2]
        t += 10
        assert a[2] == 13

    def p08(self):
        a = self.of([1.0, 2])
        assert refused(add, self.expand(a), 1)

    def p13(self):
        a, b = self.of([100, 2], "int8"), self.of([100, 2], "int64")
        a += b
        assert a.tolist() == [-56, 4]
        assert refused(add, a, 0.5)

    def p14(self):
        a = self.of([1.0, 2])
        e = a + 1
        a = self.of([0.0, 0])
        assert e.tolist() == [2, 3] and a[0] == 0

    def p15(self):
        a = self.of([1.0, 2])
        e = a + 1
        a += 1
        assert e.tolist() == [2, 3]

    def p17(self):
        a = self.of([1.0, 2])
        assert float(a.sum()) == 3
        assert refused(float, a)


class NumPy(Both):
    def of(self, elements, dtype="float32"):
        return np.array(elements, dtype)

    def copy(self, a):
        return a.copy()

    def expand(self, a):
        return np.broadcast_to(a, (3, 2))

    def p10(self):
        a = self.of([1, 2, 3, 4])
        a[1:] = a[:-1]
        assert a.tolist() == [1, 1, 2, 3]

    def p11(self):
        m = self.of([[1, 2], [3, 4]])
        m += m.T
        assert m.tolist() == [[2, 5], [5, 8]]

    def p12(self):
        a = self.of([1, 2, 3])
        a += a[0:1]
        assert a.tolist() == [2, 3, 4]


class PyTorch(Both):
    def of(self, elements, dtype="float32"):
        return torch.tensor(elements, dtype=getattr(torch, dtype))

    def leaf(self):
        return torch.tensor([1.0, 2], requires_grad=True)

    def copy(self, a):
        return a.clone()

    def expand(self, a):
        return a.expand(3, 2)

    def p10(self):
        a = self.of([1, 2, 3, 4])
        assert refused(a[1:].copy_, a[:-1])

    def p11(self):
        m = self.of([[1, 2], [3, 4]])
        assert refused(add, m, m.T)

    def p12(self):
        a = self.of([1, 2, 3])
        assert refused(add, a, a[0:1])

    def p18(self):
        w = self.leaf()
        leaf = w
        w = w * 0.9
        w.sum().backward()
        assert leaf.is_leaf and not w.is_leaf
        assert leaf.tolist() == [1, 2] and abs(leaf.grad[0] - 0.9) < 1e-6

    def p19(self):
        w = self.leaf()
        assert refused(add, w, 1)
        with torch.no_grad():
            w += 1
        assert w.tolist() == [2, 3] and w.is_leaf

    def p20(self):
        w = self.leaf()
        y = w * 1
        y *= w
        y.sum().backward()
        assert w.grad.tolist() == [2, 4]

    def p21(self):
        w = self.leaf()
        h, k = w.exp(), w + 1
        h += 1
        k += 1
        assert refused(h.sum().backward)
        k.sum().backward()
        assert w.grad.tolist() == [1, 1]

    def p22(self):
        w = self.leaf()
        d = w.detach()
        d += 1
        assert w.tolist() == [2, 3] and not d.requires_grad

    def p23(self):
        seen = []
        with torch.no_grad():
            other = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
            other.start()
            other.join()
            assert seen == [True] and not torch.is_grad_enabled()


def main():
    peers = [peer() for peer, module in ((NumPy, np), (PyTorch, torch)) if module is not None]
    if not peers:
        print("neither NumPy nor PyTorch is installed")
        return 77
    wrong = 0
    for peer in peers:
        programs = [name for name in dir(peer) if name.startswith("p") and name[1:].isdigit()]
        for name in programs:
            try:
                getattr(peer, name)()
            except Exception as error:
                wrong += 1
                print(f"{type(peer).__name__}, program {int(name[1:])}: {error!r}")
        print(f"{type(peer).__name__}: {len(programs)} programs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
