import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { VECTORS_FOLDER, vectorPath } from '../support/vectors.ts'
import { VECTOR_KINDS } from './kinds.ts'
import { type FileResult, findVectorFiles, formatResult, runVectors } from './run.ts'

/** Values that stand for a computed result in each kind; changing a digit of one must be noticed. */
const RESULTS: Readonly<Record<string, RegExp>> = {
  'headers-blocks': /"hash":"0x([0-9a-f]{64})"/,
  difficulty: /"difficulty":"0x([0-9a-f]+)"\}$/m,
  transactions: /"sender":"0x([0-9a-f]{40})"/,
  pow: /"target":"0x([0-9a-f]+)"/,
  unitrie: /"root":"0x([0-9a-f]{64})"/,
  precompiles: /"output":"0x([0-9a-f]{64})"/,
  'vm-environments': /"activeRules":\["rskip(\d+)/,
  'vm-transactions': /"stateRoot":"0x([0-9a-f]{64})"/,
  remasc: /"data":"0x([0-9a-f]+)"/,
  chain: /"receiptRlp":"0x([0-9a-f]+)"/,
  dsl: /"receiptRlp":"0x([0-9a-f]+)"/,
}

/** Lines of a file that are enough to find the changed one in: chains need all before it. */
const LINES = 400

for (const kind of VECTOR_KINDS) {
  t.test(`a changed digit in ${kind.name} is found`, async (t) => {
    const pattern = RESULTS[kind.name]
    t.ok(pattern, 'the kind has a result to change')
    const recorded = findVectorFiles(VECTORS_FOLDER).filter((found) => found.kind === kind)
    t.not(recorded.length, 0, 'the kind is recorded')
    const source = recorded.find(({ file }) => pattern?.test(readFileSync(file, 'utf8')))
    t.ok(source, 'a file has such a result')
    if (pattern === undefined || source === undefined) return
    const name = source.name.split('/').at(-1) ?? ''
    const text = readFileSync(source.file, 'utf8').split('\n').slice(0, LINES).join('\n')
    const environments = readFileSync(vectorPath('consensus/vm-environments.jsonl'), 'utf8')
    const files = (content: string) => ({
      [kind.name]: { 'vm-environments.jsonl': environments, [name]: content },
    })
    const folder = t.testdir({ right: files(text), wrong: files(changeDigit(text, pattern)) })

    const [right] = await runVectors([join(folder, 'right', kind.name, name)])
    t.equal(right?.comparison.different, 0, describe(right))
    const [wrong] = await runVectors([join(folder, 'wrong', kind.name, name)])
    t.equal(wrong?.comparison.different, 1, 'exactly the changed case differs')
    t.match(wrong && formatResult(wrong), /1 different\n.*\n {4}expected .*\n {4}found /)
  })
}

t.test('a line that is no JSON is a difference', async (t) => {
  const [result] = await runVectors([t.testdir({ 'difficulty.jsonl': '{"type":' })])
  t.equal(result?.comparison.different, 1)
})

/** The text with the last digit of the first match's group replaced by another. */
function changeDigit(text: string, pattern: RegExp): string {
  const match = pattern.exec(text)
  const digits = match?.[1]
  if (match === null || digits === undefined) throw new Error(`nothing matches ${pattern}`)
  const at = match.index + match[0].lastIndexOf(digits) + digits.length - 1
  const digit = text[at] === '0' ? '1' : '0'
  return text.slice(0, at) + digit + text.slice(at + 1)
}

function describe(result: FileResult | undefined): string {
  return result === undefined ? 'no result' : formatResult(result)
}
