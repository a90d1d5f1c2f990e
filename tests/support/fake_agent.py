"""A fake ACP agent, run as a script with `-I -S`: says what a script of steps makes it say.

`fake_agent.py STEPS`: a JSON list of [name, argument …], each a method of `Agent`. Each prompt runs all steps
and is then answered with `end_turn`, or the stop reason that the last step with one gave.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

SESSION = "s1"


def send(message):
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        sys.stdout.buffer.flush()


def read():
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def update(update):
    send({"method": "session/update", "params": {"sessionId": SESSION, "update": update}})


def say(text):
    update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})


class Agent:
    def __init__(self, steps):
        self.steps = steps
        self.asked = 0

    def run(self):
        while True:
            message = read()
            method = message.get("method")
            if method == "initialize":
                send({"id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": {}}})
            elif method in ("session/new", "session/load"):
                send({"id": message["id"], "result": {"sessionId": SESSION}})
            elif method == "session/prompt":
                stop = "end_turn"
                for name, *args in self.steps:
                    stop = getattr(self, name)(*args) or stop
                send({"id": message["id"], "result": {"stopReason": stop}})
            elif "id" in message:
                send({"id": message["id"], "error": {"code": -32601, "message": "no"}})

    def say(self, text):
        say(text)

    def write(self, text):
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()

    def stderr(self, text):
        os.write(2, text.encode())

    def call(self, call_id, title="work"):
        update({"sessionUpdate": "tool_call", "toolCallId": call_id, "title": title, "kind": "other"})

    def request(self, method, params):
        """Ask the client, and say what it answers."""
        self.asked += 1
        send({"id": f"r{self.asked}", "method": method, "params": {"sessionId": SESSION, **params}})
        answer = read()
        while answer.get("id") != f"r{self.asked}":
            if answer.get("method") == "session/cancel":
                return "cancelled"
            answer = read()
        say(json.dumps({key: answer[key] for key in ("result", "error") if key in answer}))
        return None

    def ask(self):
        options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
        call = {"toolCallId": "c1", "title": "touch", "kind": "execute"}
        return self.request("session/request_permission", {"toolCall": call, "options": options})

    def ask_and_die(self, code):
        call = {"toolCallId": "c1", "title": "touch", "kind": "execute"}
        params = {"sessionId": SESSION, "toolCall": call, "options": []}
        send({"id": "q", "method": "session/request_permission", "params": params})
        os._exit(code)

    def request_and_die(self, method, params):
        send({"id": "q", "method": method, "params": {"sessionId": SESSION, **params}})
        os._exit(3)

    def request_into(self, path, method, params):
        """Ask the client, and keep what it answers in a file."""
        send({"id": "kept", "method": method, "params": {"sessionId": SESSION, **params}})
        while (answer := read()).get("id") != "kept":
            pass
        with open(path, "w") as file:
            json.dump(answer.get("result"), file)

    def wait_for(self, path):
        while not (os.path.exists(path) and os.path.getsize(path)):
            time.sleep(0.01)

    def exit(self, code):
        sys.stdout.flush()
        os._exit(code)

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def signal_parent(self):
        """Ctrl-C for who started this."""
        os.kill(os.getppid(), signal.SIGINT)

    def hang(self):
        while True:
            time.sleep(60)

    def cancelled(self):
        while read().get("method") != "session/cancel":
            pass
        return "cancelled"

    def flood_line(self, size):
        chunk = b"x" * 65536
        for _ in range(size // len(chunk)):
            os.write(1, chunk)

    def flood_lines(self, size):
        lines = b"not json\n" * 8192
        for _ in range(size // len(lines)):
            rest = lines
            while rest:
                rest = rest[os.write(1, rest) :]

    def flood_text(self, size):
        for _ in range(size // 1024):
            say("x" * 1024)

    def close_stdin(self):
        os.close(0)

    def close_stdout(self):
        os.close(1)
        self.hang()

    def ignore_sigterm(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def deaf(self):
        """Neither the end of the input nor SIGTERM ends it, from now on."""
        self.ignore_sigterm()
        threading.Thread(target=self.hang).start()

    def fork(self, *, away=False, bare=False):
        """Start a process that outlives this one, perhaps in a session or an environment of its own."""
        command = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
        subprocess.Popen(command, start_new_session=away, env={} if bare else None)

    def fork_away(self):
        self.fork(away=True)

    def fork_bare(self):
        self.fork(away=True, bare=True)


if __name__ == "__main__":
    Agent(json.loads(sys.argv[1])).run()
