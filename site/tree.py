"""Makes the site of pages that lie in different folders of the tree.

Pages outside of docs/ get a place in the site. Links are those of the tree, as GitHub shows them: each is made one to the
page of its file. A file that is no page, such as a source, gets one that shows it.
"""

import os
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

TREE = Path(__file__).parent.parent

# Where pages outside of docs/ are in the site.
ELSEWHERE = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security-policy.md",
    "bench/README.md": "benchmarks.md",
    "plugin-api/ABI.md": "abi.md",
}

LANGUAGES = {".cpp": "cpp", ".h": "c", ".hpp": "cpp", ".json": "json", ".mjs": "js", ".py": "python", ".service": "ini",
             ".sh": "sh", ".socket": "ini", ".txt": "cmake"}

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")
# Where a picture is, if it has been made: a test makes it of the real thing, so it is in no file of the tree.
PICTURE = re.compile(r"^<!-- picture (\S+): (.*) -->$", re.MULTILINE)
# Commands alone, which a lexer for sessions would take for output.
COMMANDS = re.compile(r"^```console$", re.MULTILINE)
# A block whose language is followed by a name: what it shows.
NAMED = re.compile(r"^```(\w+) (.+)$", re.MULTILINE)
PAIR = re.compile(r"^```python (.+)\n.*?^```\n\n```cpp \1\n.*?^```$", re.MULTILINE | re.DOTALL)


def place_of(file):
    """Where a page of the tree is in the site, or None."""
    if file in ELSEWHERE:
        return ELSEWHERE[file]
    if file.startswith("docs/"):
        return file.removeprefix("docs/")
    return None


def file_of(place):
    """The file of the tree that is there in the site, or None."""
    for file, its_place in ELSEWHERE.items():
        if its_place == place:
            return file
    file = "docs/" + place
    return file if (TREE / file).exists() else None


def target(file, link):
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), link))


def outside_of_code(markdown, change):
    """The text with `change` made of what is in no block of code."""
    kept, end = [], 0
    for block in FENCED.finditer(markdown):
        kept += [change(markdown[end:block.start()]), block.group()]
        end = block.end()
    return "".join(kept) + change(markdown[end:])


def source_page(file):
    """A page that shows a file of the tree, or lists those of a folder."""
    head = f"---\nsearch: {{exclude: true}}\n---\n# {file}\n\n"
    path = TREE / file
    if path.is_dir():
        return head + "".join(f"- [{each.name}]({path.name}/{each.name})\n" for each in sorted(path.iterdir()))
    if path.suffix == ".md":
        return head + path.read_text()
    return head + f"````{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text()}\n````\n"


class Sources:
    """The pages that show files, which pages link to."""

    def __init__(self):
        self.places = {}

    def add_links_of(self, file, markdown):
        for link in LINK.findall(FENCED.sub("", markdown)):
            self.add(target(file, link[0]))

    def add(self, file):
        if place_of(file) or file in self.places or not (TREE / file).exists():
            return
        self.places[file] = f"source/{file}.md"
        if (TREE / file).is_dir():
            for each in (TREE / file).iterdir():
                self.add(f"{file}/{each.name}")


SOURCES = Sources()


def on_files(files, config):
    pages = [*ELSEWHERE, *(f"docs/{file.src_uri}" for file in files.documentation_pages())]
    for file, place in ELSEWHERE.items():
        files.append(File.generated(config, place, abs_src_path=str(TREE / file)))
    for file in pages:
        SOURCES.add_links_of(file, (TREE / file).read_text())
    for file, place in SOURCES.places.items():
        files.append(File.generated(config, place, content=source_page(file)))
    # What has been made before: the reference of the API, the program that draws diagrams, and pictures.
    for folder in ("api", "assets", "pictures"):
        base = os.environ[f"SITE_{folder.upper()}"]
        for path in Path(base).rglob("*"):
            if path.is_file():
                place = f"{folder}/{path.relative_to(base).as_posix()}"
                files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri
    file = file_of(here)
    if file is None:  # it shows a source
        file = here.removeprefix("source/").removesuffix(".md")

    def in_the_site(link):
        path, anchor = link.group(1), link.group(2) or ""
        linked = target(file, path)
        place = place_of(linked) or SOURCES.places.get(linked)
        if place is None:
            return link.group()
        return f"]({posixpath.relpath(place, posixpath.dirname(here) or '.')}{anchor})"

    def picture(made):
        name, words = made.groups()
        place = posixpath.relpath(f"pictures/{name}", posixpath.dirname(here) or ".")
        return f"![{words}]({place})" if (Path(os.environ["SITE_PICTURES"]) / name).exists() else ""

    markdown = outside_of_code(markdown, lambda text: PICTURE.sub(picture, LINK.sub(in_the_site, text)))
    markdown = PAIR.sub(lambda pair: f'<div class="grid" markdown>\n\n{pair.group()}\n\n</div>', markdown)
    return NAMED.sub(r'```\1 title="\2"', COMMANDS.sub("```sh", markdown))
