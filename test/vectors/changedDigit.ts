import { join } from 'node:path'
import type { Test } from 'tap'
import { COMPRESSED_ENDING, readText } from '../support/jsonLines.ts'
import { VECTORS_FOLDER, vectorPath } from '../support/vectors.ts'
import type { VectorKind } from './kinds.ts'
import { describeResult } from './recordedTests.ts'
import { findVectorFiles, formatResult, runVectors } from './run.ts'

/** Values that stand for a computed result in each kind; changing a digit of one must be noticed. */
const RESULTS: Readonly<Record<string, RegExp>> = {
  'headers-blocks': /"hash":"0x([0-9a-f]{64})"/,
  difficulty: /"difficulty":"0x([0-9a-f]+)"\}$/m,
  transactions: /"sender":"0x([0-9a-f]{40})"/,
  pow: /"target":"0x([0-9a-f]+)"/,
  unitrie: /"root":"0x([0-9a-f]{64})"/,
  'orchid-states': /"orchidStateRoot":"0x([0-9a-f]{64})"/,
  precompiles: /"output":"0x([0-9a-f]{64})"/,
  'vm-environments': /"activeRules":\["rskip(\d+)/,
  'vm-transactions': /"stateRoot":"0x([0-9a-f]{64})"/,
  remasc: /"data":"0x([0-9a-f]+)"/,
  chain: /"receiptRlp":"0x([0-9a-f]+)"/,
  bridge: /"wtxid":"0x([0-9a-f]{64})"/,
  dsl: /"receiptRlp":"0x([0-9a-f]+)"/,
  genesis: /"unitrieRoot" : "0x([0-9a-f]{64})"/,
  'p2p-handshake': /"macDigestAfter":"([0-9a-f]{64})"/,
  'p2p-messages': /"bestHash":"([0-9a-f]{64})"/,
  'p2p-sessions': /"bestHash":"([0-9a-f]{64})"/,
  'p2p-snap': /"hash":"([0-9a-f]{64})"/,
  'p2p-behaviour': /"reason":(\d+)/,
}

/** What a line of no known type looks like. */
const UNKNOWN_LINE = '{"type":"unheardOf"}'

/** Lines of a file that are enough to find the changed one in: chains need all before it. */
export const LINES = 400

/** A test that a changed digit in a recorded file of a kind is found, and a line of no known type. */
export function testChangedDigit(t: Test, kind: VectorKind): void {
  t.test(`a changed digit in ${kind.name} is found`, async (t) => {
    const pattern = RESULTS[kind.name]
    t.ok(pattern, 'the kind has a result to change')
    const recorded = findVectorFiles(VECTORS_FOLDER).filter((found) => found.kind === kind)
    t.not(recorded.length, 0, 'the kind is recorded')
    const source = recorded.find(({ file }) => pattern?.test(readText(file)))
    t.ok(source, 'a file has such a result')
    if (pattern === undefined || source === undefined) return
    const name = (source.name.split('/').at(-1) ?? '').replace(COMPRESSED_ENDING, '')
    const text = readText(source.file).split('\n').slice(0, LINES).join('\n')
    const environments = readText(vectorPath('consensus/vm-environments.jsonl'))
    const files = (content: string) => ({
      [kind.name]: { 'vm-environments.jsonl': environments, [name]: content },
    })
    const folder = t.testdir({
      right: files(text),
      wrong: files(changeDigit(text, pattern)),
      unknown: files(`${text.trimEnd()}\n${UNKNOWN_LINE}\n`),
    })

    const [right] = await runVectors([join(folder, 'right', kind.name, name)])
    t.equal(right?.comparison.different, 0, describeResult(right))
    const [wrong] = await runVectors([join(folder, 'wrong', kind.name, name)])
    t.equal(wrong?.comparison.different, 1, 'exactly the changed case differs')
    t.match(wrong && formatResult(wrong), /1 different\n.*\n {4}expected .*\n {4}found /)
    const [unknown] = await runVectors([join(folder, 'unknown', kind.name, name)])
    t.equal(unknown?.comparison.different, 1, 'a line of no known type is a difference')
  })
}

/** The text with the last digit of the first match's group replaced by another. */
function changeDigit(text: string, pattern: RegExp): string {
  const match = pattern.exec(text)
  const digits = match?.[1]
  if (match === null || digits === undefined) throw new Error(`nothing matches ${pattern}`)
  const at = match.index + match[0].lastIndexOf(digits) + digits.length - 1
  const digit = text[at] === '0' ? '1' : '0'
  return text.slice(0, at) + digit + text.slice(at + 1)
}
