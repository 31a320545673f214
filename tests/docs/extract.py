"""Makes one test of the C++ examples of a document: extract.py docs/autograd.md > out.cpp

Every block ```cpp is a test case of its own. Paragraphs (between blank lines) that begin with struct, template, using
or #include stand at namespace scope, the others are the body.
"""
import re
import sys

document = sys.argv[1]
name = re.sub(r"^.*docs/", "docs/", document)
text = open(document, encoding="utf-8").read()
print('#include "../catch.hpp"\n#include <tt/autograd.hpp>\n#include <tt/nn.hpp>\n#include <tt/optim.hpp>\n#include <tt/ops.hpp>\n#undef NDEBUG\n'
      '#include <cassert>\n#include <iostream>\n')
count = 0
for match in re.finditer(r"^```cpp\n(.*?)^```$", text, re.S | re.M):
    line = text.count("\n", 0, match.start()) + 2
    outside, body = [], []
    for paragraph in re.split(r"\n\s*\n", match.group(1).rstrip("\n")):
        first = paragraph.lstrip().split("\n", 1)[0]
        top = re.match(r"(struct|template|using namespace|#include)\b|#include", re.sub(r"^//.*\n", "", paragraph.lstrip()))
        (outside if top else body).append((line, paragraph))
        line += paragraph.count("\n") + 2
    for at, paragraph in [p for p in outside if p[1].lstrip().startswith("#include")]:
        print(f'#line {at} "{name}"\n{paragraph}')
    print(f"namespace example_{count} {{\nusing namespace tt;")
    for at, paragraph in [p for p in outside if not p[1].lstrip().startswith("#include")]:
        print(f'#line {at} "{name}"\n{paragraph}')
    print(f'TEST_CASE("{name}, example {count + 1}", "[docs]") {{')
    for at, paragraph in body:
        print(f'#line {at} "{name}"\n{paragraph}')
    print("}\n}")
    count += 1
if not count:
    sys.exit(f"{document} has no examples")
