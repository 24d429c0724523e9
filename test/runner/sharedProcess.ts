import { register } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import ownTest, { Test } from 'tap'
import { ROOT } from '../support/sources.ts'
import type { FileResult } from './fileResult.ts'
import { processorSeconds } from './processorTime.mjs'

// Runs the test files that its parent names, one after the other, each with a test of its own for what it imports as
// `tap`, and sends the result of each.

/** What `sharedTapHooks.mjs` hands out, by the URL of the file. */
const tests = new Map<string, Test>()
Object.assign(globalThis, { [Symbol.for('rhizome.tests')]: tests })
register(new URL('sharedTapHooks.mjs', import.meta.url))

// The test of this process itself never begins nor ends.
ownTest.setTimeout(0)
const timeout = Number(process.env['TAP_TIMEOUT']) * 1000
process.on('message', (path: string) => void run(path).then((result) => process.send?.(result)))

async function run(path: string): Promise<FileResult> {
  const url = pathToFileURL(join(ROOT, path)).href
  const options: ConstructorParameters<typeof Test>[0] = { name: path, timeout, cb: () => import(url) }
  const test = new Test(options)
  // That of a file which runs alone.
  test.testdirName = resolve(
    ROOT,
    '.tap/fixtures',
    `${dirname(path)} ${path.split('/').at(-1)}`.replace(/[^\w.-]+/g, '-'),
  )
  tests.set(url, test)
  const output: string[] = []
  test.on('data', (text) => output.push(String(text)))
  const began = performance.now()
  const processor = processorSeconds()
  await new Promise<void>((ended) => test.runMain(ended))
  test.setTimeout(0)
  const milliseconds = performance.now() - began
  return {
    path,
    output: `${output.join('')}# time=${milliseconds}ms\n`,
    failure: test.passing() ? null : 'exit code 1',
    wallSeconds: milliseconds / 1000,
    processorSeconds: processorSeconds() - processor,
  }
}
