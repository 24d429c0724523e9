import fc from 'fast-check'
import t from 'tap'
import { type Ancestor, Ancestry } from '../../../src/chain/ancestry.ts'

/** A tree: every block stands on an earlier one. */
function treeOf(parents: readonly number[]): Ancestor[] {
  const blocks: Ancestor[] = []
  const add = (parent: Ancestor | undefined) => {
    blocks.push({
      hashHex: `block ${blocks.length}`,
      parentHashHex: parent?.hashHex ?? 'nothing',
      number: parent === undefined ? 0 : parent.number + 1,
      uncleCount: 0,
      uncleHashes: [],
      bitcoinHashByte: null,
    })
  }
  add(undefined)
  // Mostly near the newest, so that there are long branches.
  for (const back of parents) add(blocks[Math.max(0, blocks.length - 1 - back)])
  return blocks
}

function expectedWalk(blocks: readonly Ancestor[], from: Ancestor, count: number): string[] {
  const found: string[] = []
  let next: Ancestor | undefined = from
  while (next !== undefined && found.length < count) {
    found.push(next.hashHex)
    const parent: string = next.parentHashHex
    next = blocks.find((block) => block.hashHex === parent)
  }
  return found
}

t.test('walks of any order on any tree follow the parents', async (t) => {
  const back = fc.oneof({ arbitrary: fc.constant(0), weight: 8 }, { arbitrary: fc.nat(12), weight: 1 })
  fc.assert(
    fc.property(
      fc.array(back, { minLength: 1, maxLength: 80 }),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 30 }),
      (parents, walks) => {
        const blocks = treeOf(parents)
        const ancestry = new Ancestry((hashHex) => blocks.find((block) => block.hashHex === hashHex))
        for (const [pick, count] of walks) {
          const from = blocks[pick % blocks.length]
          if (from === undefined) return
          const found = ancestry.walk(from.hashHex, count).map((metadata) => metadata.hashHex)
          t.strictSame(found, expectedWalk(blocks, from, count))
        }
      },
    ),
    { numRuns: 100 },
  )
})

t.test('a long branch that is walked block by block stays right', async (t) => {
  const blocks = treeOf(Array.from({ length: 5_000 }, () => 0))
  const byHash = new Map(blocks.map((block) => [block.hashHex, block]))
  let loads = 0
  const ancestry = new Ancestry((hashHex) => {
    loads += 1
    return byHash.get(hashHex)
  })
  for (const block of blocks) {
    ancestry.add(block)
    const walk = ancestry.walk(block.hashHex, 449)
    const wrong = walk.findIndex((metadata, index) => metadata.number !== block.number - index)
    if (wrong >= 0 || walk.length !== Math.min(449, block.number + 1)) t.fail(`after block ${block.number}`)
  }
  t.equal(loads, 0, 'nothing that was added is read')
  t.strictSame(ancestry.walk('unknown', 3), [])
})
