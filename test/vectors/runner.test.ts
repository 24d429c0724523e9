import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { COMPRESSED_ENDING, collect, readText, streamJsonLines } from '../support/jsonLines.ts'
import { unpackedVector, VECTORS_FOLDER, vectorPath } from '../support/vectors.ts'
import { Comparison } from './comparison.ts'
import { kindOf, OTHER_KINDS, VECTOR_KINDS } from './kinds.ts'
import {
  countDifferent,
  type FileResult,
  findVectorFiles,
  formatResult,
  formatTotal,
  runVectors,
} from './run.ts'

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

/** Kinds whose files are chains or one document: they are read as a whole. Of behaviour some lines are not compared. */
const READ_WHOLE: ReadonlySet<string> = new Set([
  'chain',
  'dsl',
  'remasc',
  'bridge',
  'genesis',
  'p2p-behaviour',
])

/** What a line of no known type looks like. */
const UNKNOWN_LINE = '{"type":"unheardOf"}'

/** Lines of a file that are enough to find the changed one in: chains need all before it. */
const LINES = 400

for (const kind of VECTOR_KINDS) {
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
    t.equal(right?.comparison.different, 0, describe(right))
    const [wrong] = await runVectors([join(folder, 'wrong', kind.name, name)])
    t.equal(wrong?.comparison.different, 1, 'exactly the changed case differs')
    t.match(wrong && formatResult(wrong), /1 different\n.*\n {4}expected .*\n {4}found /)
    const [unknown] = await runVectors([join(folder, 'unknown', kind.name, name)])
    t.equal(unknown?.comparison.different, 1, 'a line of no known type is a difference')
  })
}

for (const kind of VECTOR_KINDS.filter(({ name }) => !READ_WHOLE.has(name))) {
  t.test(`${kind.name} is compared line by line`, async (t) => {
    const [source] = findVectorFiles(VECTORS_FOLDER).filter((found) => found.kind === kind)
    if (source === undefined) throw new Error('the kind is not recorded')
    const comparison = new Comparison()
    const ahead: number[] = []
    async function* lines(path: string): AsyncGenerator<unknown> {
      let read = 0
      for await (const line of streamJsonLines(path)) {
        if (read === LINES) return
        ahead.push(read - comparison.equal)
        read += 1
        yield line
      }
    }
    await kind.compare({ path: source.file, lines: () => lines(source.file) }, comparison)
    t.ok(ahead.length > 1)
    t.same([...new Set(ahead)], [0], 'a line is asked for when all before it are compared')
  })
}

t.test('every recorded file has a kind, and every kind that is left alone is recorded', (t) => {
  const found = findVectorFiles(VECTORS_FOLDER)
  t.same(
    found.filter(({ kind }) => kind === undefined),
    [],
  )
  const kinds = new Set(found.map(({ kind }) => kind))
  t.same(
    OTHER_KINDS.filter((kind) => !kinds.has(kind)),
    [],
  )
  t.end()
})

t.test('compressed files are compared like plain ones', async (t) => {
  const text = readText(vectorPath('consensus/difficulty.jsonl'))
  const folder = t.testdir({
    'difficulty.jsonl': text,
    'difficulty.jsonl.gz': gzipSync(text),
    'difficulty.jsonl.br': brotliCompressSync(text),
    'difficulty-cut.jsonl.gz': gzipSync(text).subarray(0, 10_000),
  })
  const results = await runVectors([folder])
  const stats = results.map(({ name, comparison }) => [name, comparison.different, comparison.equal > 0])
  t.same(stats, [
    ['difficulty-cut.jsonl.gz', 1, true],
    ['difficulty.jsonl', 0, true],
    ['difficulty.jsonl.br', 0, true],
    ['difficulty.jsonl.gz', 0, true],
  ])
  const whole = results.slice(1).map(({ comparison }) => comparison.equal)
  t.equal(new Set(whole).size, 1)
})

t.test('a file of no known kind is a difference that names it', async (t) => {
  const folder = t.testdir({
    'README.md': 'x',
    'lines.json': '{}',
    sub: { 'sonata.jsonl': '{}\n', 'state-x.json': '' },
  })
  const results = await runVectors([folder])
  t.equal(countDifferent(results), 1)
  t.match(
    results.map(formatResult).join('\n'),
    /sub\/sonata\.jsonl: 0 equal, 1 different\n.*\n.*\n.*no known kind/,
  )
  t.equal(formatTotal(results), '1 files: 0 equal, 1 different; 1 files compared by test/proof')
  t.equal(countDifferent(await runVectors([join(folder, 'sub', 'sonata.jsonl')])), 1, 'also by its own name')
  t.equal(kindOf('/x/README.md'), 'about')
})

t.test('a plain file is unpacked once for each content', async (t) => {
  const path = unpackedVector('consensus/difficulty.jsonl')
  t.same(readFileSync(path, 'utf8'), readText(vectorPath('consensus/difficulty.jsonl')))
  const { ino } = statSync(path)
  t.equal(unpackedVector('consensus/difficulty.jsonl'), path)
  t.equal(statSync(path).ino, ino, 'it is not written again')
  t.equal((await collect(streamJsonLines(path))).length, 1060)
})

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
