"""A Python interpreter that runs the blocks of a page one after the other, each where the last one left
off."""

import json
import subprocess
import sys
import threading

MARK = "---- end of the block:"

# reads blocks, one a line as JSON; after the output of each it prints the mark and how the block ended
LOOP = f"""
import json, sys, traceback
space = {{"__name__": "__main__"}}
for line in sys.stdin:
    try:
        exec(compile(json.loads(line), "block", "exec"), space)
        status = 0
    except BaseException:
        traceback.print_exc()
        status = 1
    print("\\n{MARK}", status, flush=True)
"""


class Interpreter:
    def __init__(self, folder, environment, longest):
        self.longest = longest
        self.process = subprocess.Popen([sys.executable, "-B", "-u", "-c", LOOP], cwd=folder, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        encoding="utf-8", errors="replace")

    def run(self, text):
        """What a block prints, and whether it ended well."""
        timer = threading.Timer(self.longest, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(text) + "\n")
            self.process.stdin.flush()
            printed = ""
            for line in self.process.stdout:
                if line.startswith(MARK):
                    return printed.removesuffix("\n"), line.split()[-1] == "0"
                printed += line
            return printed, False
        except BrokenPipeError:
            return "the interpreter has ended", False
        finally:
            timer.cancel()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
