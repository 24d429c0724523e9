#!/usr/bin/env node
// Native builds of the compiler come from a site of their own; this one comes with the packages. Foundry asks
// for the version and for the answer to one JSON input.
const { readFileSync, writeSync } = require('node:fs')
const solc = require('solc')

if (process.argv.includes('--version')) {
  writeSync(1, `solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`)
} else {
  const answer = Buffer.from(solc.compile(readFileSync(0, 'utf8')))
  for (let at = 0; at < answer.length; ) at += writeSync(1, answer, at)
}
