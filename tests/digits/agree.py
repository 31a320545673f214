"""agree.py DIGITS LOGITS DATA: the network that `digits` saves is the same network in PyTorch.

Exit 77 (skipped) where torch, numpy or safetensors is not installed."""
import gzip
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    from safetensors.torch import load_file, save_file
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

digits, logits, data = sys.argv[1:]


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def idx(name, header):
    return np.frombuffer(gzip.open(f"{data}/{name}").read(), np.uint8, offset=header)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = torch.nn.Linear(64, 64)
        self.fc2 = torch.nn.Linear(64, 10)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


images = idx("digits-images-idx3-ubyte.gz", 16).reshape(-1, 64)[::5].astype(np.float32) / 16
labels = torch.tensor(idx("digits-labels-idx1-ubyte.gz", 8)[::5].astype(np.int64))
net = Net()


def compare(folder, model, last_line):
    """tt and PyTorch on the same file."""
    with torch.no_grad():
        want = net(torch.tensor(images))
    text = run(logits, model, data, cwd=folder)
    got = torch.tensor([[float(word) for word in line.split()] for line in text.splitlines()])
    assert got.shape == want.shape, (got.shape, want.shape)
    error = ((got - want).abs() / want.abs().clamp(min=1)).max().item()
    assert error <= 1e-5, f"logits differ by {error}"
    accuracy = (want.argmax(1) == labels).float().mean().item()
    assert last_line == f"test accuracy: {accuracy:.4f}", (last_line, accuracy)
    print(f"{model}: {last_line}, largest difference {error:.1e}")


with tempfile.TemporaryDirectory() as folder:
    printed = run(digits, "--data", data, "--epochs", "10", "--out", ".", cwd=folder)
    net.load_state_dict(load_file(f"{folder}/model.safetensors"))  # strict: exactly these names
    compare(folder, "model.safetensors", printed.splitlines()[-1])

    with torch.no_grad():
        for p in net.parameters():
            p += 0.05 * torch.randn(p.shape, generator=torch.Generator().manual_seed(1))
    save_file(net.state_dict(), f"{folder}/torch.safetensors")
    printed = run(digits, "--data", data, "--load", "torch.safetensors", "--predict", cwd=folder)
    compare(folder, "torch.safetensors", printed.splitlines()[-1])
