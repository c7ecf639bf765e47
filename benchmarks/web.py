"""What a server takes: damaged requests with its memory, many clients at once, and the page from click to answer.

`python -m benchmarks.web` starts `titm serve`, measures, and prints a line each;
`python -m benchmarks.web damaged 1000` measures one of them.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.test_guards import bodies, damaged

HEADERS = {"Content-Type": "application/json"}
ROUTES = ("/api/ask", "/api/board", "/api/picture")
CLIENTS, EACH, CLICKS = 50, 20, 100
WORKERS = (1, 2, 4)
Server = tuple[int, int]  # port and process


@contextmanager
def server(*options: str) -> Iterator[Server]:
    """Serve on a free port."""
    command = [sys.executable, "-m", "titm_rules", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found
        try:
            yield int(found[1]), process.pid
        finally:
            process.terminate()


def memory_mb(process: int) -> float:
    """Read how much memory a process holds, with its workers."""
    folder = Path(f"/proc/{process}")
    held = int(re.search(r"VmRSS:\s+(\d+)", (folder / "status").read_text(encoding="ascii"))[1]) / 1024  # type: ignore[index]
    workers = (folder / "task" / str(process) / "children").read_text(encoding="ascii").split()
    return held + sum(memory_mb(int(worker)) for worker in workers)


def asked(connection: http.client.HTTPConnection, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    """Send a request and read its answer."""
    connection.request("POST" if body is not None else "GET", path, body, HEADERS)
    response = connection.getresponse()
    return response.status, response.read()


def position_of(port: int, name: str) -> dict[str, Any]:
    """Fetch a scenario."""
    status, text = asked(http.client.HTTPConnection("127.0.0.1", port), f"/api/games/titm/scenarios/{name}")
    assert status == 200
    found: dict[str, Any] = json.loads(text)["position"]
    return found


def send_damaged(port: int, process: int, number: int = 10_000) -> str:
    """Send damaged requests; give how they were answered, and the memory at first and last."""
    chance, whole = random.Random(2), bodies(position_of(port, "road-to-rambrouch"))
    connection, statuses, held = http.client.HTTPConnection("127.0.0.1", port), Counter[int](), []
    for count in range(number):
        body = damaged(chance, chance.choice(whole))
        status, text = asked(connection, chance.choice(ROUTES), body)
        assert b"Traceback" not in text, body
        assert status == 200 or json.loads(text)["error"]["kind"] != "bug", body
        statuses[status] += 1
        if count % max(1, number // 10) == number // 20:
            held.append(memory_mb(process))
    told = ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items()))
    return f"{number} damaged requests: {told}; MB held: {' '.join(f'{one:.0f}' for one in held)}"


def ask_at_once(port: int, process: int, clients: int = CLIENTS) -> str:
    """Let many clients ask small questions about a known position at once; give requests a second and the slowest."""
    del process
    given = {"position": position_of(port, "road-to-rambrouch"), "unit": "tank"}
    return all_at_once(port, [asking("supplied", given)] * clients * EACH, clients)


def ask_anew(port: int, clients: int = CLIENTS) -> str:
    """Let many clients ask who loses strength on the whole board, each time in another position."""
    whole = position_of(port, "campaign")
    chance, bodies = random.Random(4), []
    for _ in range(clients * EACH // 5):
        units = [{**one, "strength": chance.randint(1, 2)} for one in whole["units"]]
        bodies.append(asking("attrition_losses", {"position": {**whole, "units": units}}))
    return all_at_once(port, bodies, clients)


def asking(query: str, given: dict[str, Any]) -> bytes:
    """Write the body of a request."""
    return json.dumps({"edition": "1999", "query": query, "input": given}).encode()


def all_at_once(port: int, bodies: list[bytes], clients: int) -> str:
    """Let many clients send some requests, each its share of them one after the other."""
    asked(http.client.HTTPConnection("127.0.0.1", port), "/api/ask", bodies[0])
    took: list[float] = []
    statuses = Counter[int]()

    def client(share: list[bytes]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for body in share:
            begun = time.perf_counter()
            status, _ = asked(connection, "/api/ask", body)
            took.append(time.perf_counter() - begun)
            statuses[status] += 1

    threads = [threading.Thread(target=client, args=[bodies[number::clients]]) for number in range(clients)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = time.perf_counter() - begun
    middle, last = statistics.median(took) * 1000, max(took) * 1000
    rate = f"{len(took) / whole:.0f} requests a second"
    return f"{clients} clients: {rate}, median {middle:.0f} ms, slowest {last:.0f} ms, {dict(statuses)}"


def ask_workers(clients: int = CLIENTS) -> Iterator[str]:
    """Let many clients ask servers with more and more workers."""
    for workers in WORKERS:
        with server("--workers", str(workers)) as (port, process):
            time.sleep(5 * workers)  # they warm up
            yield f"{workers} workers, {ask_at_once(port, process, clients)}"
            yield f"{workers} workers, each time another position, {ask_anew(port, clients)}"


CLICK = """async ([piece, place]) => {
  const settled = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const until = async (selector) => {
    for (const last = performance.now() + 30000; !document.querySelector(selector); await settled())
      if (performance.now() > last) throw new Error(`the page does not come to ${selector}`);
  };
  const tap = (element) => {
    const box = element.getBoundingClientRect();
    const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, pointerId: 1 };
    for (const kind of ['pointerdown', 'pointerup', 'click']) element.dispatchEvent(new PointerEvent(kind, at));
  };
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  await settled();
  tap(document.querySelector(`[data-piece="${CSS.escape(piece)}"]`));
  await until('section.card');
  await until('#board[aria-busy="false"]');
  performance.clearResourceTimings();
  const begun = performance.now();
  tap(document.querySelector(`[data-place="${CSS.escape(place)}"] > .name`));
  await until('#verdict .outcome');
  const shown = performance.now() - begun;
  await until('#verdict[aria-busy="false"]');
  const whole = performance.now() - begun;
  const [answer, reasons] = performance.getEntriesByType('resource').map((one) => one.duration);
  return { answer: [shown, answer], 'with reasons': [whole, answer + reasons] };
}"""
STANDING = """Object.fromEntries([...document.querySelectorAll('[data-piece]')]
  .map((one) => [one.dataset.piece, one.closest('[data-place]').dataset.place]))"""


def click_and_wait(port: int, process: int, clicks: int = CLICKS) -> str:
    """Click units and places of the campaign; give the times from the click to the answer, and to its reasons.

    What the requests take is told apart: the rest is what the page takes to draw, up to the next frame of the screen.
    """
    del process
    from playwright.sync_api import sync_playwright
    from tests.web.browser.conftest import Hand, find_browser

    chance = random.Random(3)
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        page = Hand(chromium.new_page()).open(f"http://127.0.0.1:{port}/").page
        time.sleep(5)  # the server warms up
        standing = page.evaluate(STANDING)
        places = page.evaluate("[...document.querySelectorAll('[data-place]')].map((one) => one.dataset.place)")
        times = []
        while len(times) < clicks:
            piece, place = chance.choice(list(standing)), chance.choice(places)
            if standing[piece] != place:
                times.append(page.evaluate(CLICK, [piece, place]))
        chromium.close()
    return f"{clicks} clicks on the campaign: " + "; ".join(f"{what} {spread(times, what)}" for what in times[0])


def spread(times: list[dict[str, tuple[float, float]]], what: str) -> str:
    """Tell the middle and the last of some times, and what of the middle one the requests take."""
    whole, asked = zip(*(one[what] for one in times), strict=True)
    middle, of_server = statistics.median(whole), statistics.median(asked)
    return f"median {middle:.0f} ms (its requests {of_server:.0f}), slowest {max(whole):.0f} ms"


MEASURED: dict[str, Callable[..., str]] = {"damaged": send_damaged, "clients": ask_at_once, "clicks": click_and_wait}


def main(names: list[str]) -> None:
    """Measure what is named, or all."""
    numbers = [int(name) for name in names if name.isdecimal()]
    chosen = [name for name in names if name in (*MEASURED, "workers")] or [*MEASURED, "workers"]
    for name in chosen:
        if name == "workers":
            for told in ask_workers(*numbers):
                print(told, flush=True)
            continue
        with server() as (port, process):
            print(MEASURED[name](port, process, *numbers), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
