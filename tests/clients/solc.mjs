#!/usr/bin/env node
// The Solidity compiler from npm behind the command line that forge expects.
import { readFileSync } from "node:fs";
import solc from "solc";

if (process.argv.includes("--version")) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`);
} else {
  console.log(solc.compile(readFileSync(0, "utf8")));
}
