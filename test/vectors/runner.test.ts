import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { collect, readText, streamJsonLines } from '../support/jsonLines.ts'
import { unpackedVector, VECTORS_FOLDER, vectorPath } from '../support/vectors.ts'
import { LINES, testChangedDigit } from './changedDigit.ts'
import { Comparison } from './comparison.ts'
import { BRIDGE, kindOf, OTHER_KINDS, VECTOR_KINDS } from './kinds.ts'
import { countDifferent, findVectorFiles, formatResult, formatTotal, runVectors } from './run.ts'

/** Kinds whose files are chains or one document: they are read as a whole. Of behaviour some lines are not compared. */
const READ_WHOLE: ReadonlySet<string> = new Set([
  'chain',
  'dsl',
  'remasc',
  'bridge',
  'genesis',
  'p2p-behaviour',
])

for (const kind of VECTOR_KINDS.filter((kind) => kind !== BRIDGE)) testChangedDigit(t, kind)

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
