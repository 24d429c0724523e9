import t from 'tap'
import type { FleetBlock, FleetHead, HeadSignature } from '../../../src/fleet/interface.ts'
import {
  type Announcement,
  decodeAnnouncement,
  encodeAnnouncement,
} from '../../../src/fleet/member/announcement.ts'
import { decodeHead, encodeHead, MOST_HEAD_BYTES, MOST_MEMBERS } from '../../../src/fleet/member/headEntry.ts'
import { blockFields, pack } from '../../../src/fleet/member/messageFields.ts'
import { decodePrepare, encodePrepare } from '../../../src/fleet/member/prepare.ts'
import { BlockSigning, type SigningScene } from '../../../src/fleet/quorum/blockSigning.ts'
import { createSignatureBook } from '../../../src/fleet/quorum/blsSignatures.ts'
import { headContent, MOST_SIGNATURES } from '../../../src/fleet/quorum/headSignature.ts'
import { SignatureBook } from '../../../src/fleet/quorum/signatureBook.ts'
import { WaitWatch } from '../../../src/fleet/quorum/signatureWait.ts'
import { SignerKey } from '../../../src/snapshot/blsKeys.ts'

const [ADA, BOB, EVE] = [1, 2, 9].map((seed) => SignerKey.generate(Buffer.alloc(32, seed))) as [
  SignerKey,
  SignerKey,
  SignerKey,
]
const FLEET = { fleet: 'test', genesis: Buffer.alloc(32, 5) }
const BLOCK: FleetBlock = { number: 7, hash: Buffer.alloc(32, 7), totalDifficulty: 1n << 70n }
const KEYS = [ADA.publicKey, BOB.publicKey]
const MEMBER = '0123456789abcdef'

const signed = (key: SignerKey, block = BLOCK, fleet = FLEET): HeadSignature => ({
  key: key.publicKey,
  signature: key.signHead(headContent(fleet, block)),
})
const junk = (key: SignerKey, seed: number): HeadSignature => ({
  key: key.publicKey,
  signature: EVE.signHead(Buffer.alloc(32, seed)),
})
const book = (quorum: number, keys = KEYS, key: SignerKey | null = null) =>
  createSignatureBook(FLEET, { quorum, keys }, key)

/** A book whose checks are counted. */
function countedBook(): { readonly book: SignatureBook; readonly checks: number[] } {
  const checks: number[] = []
  const valid = new Map([ADA, BOB].map((key) => [key.publicKey, signed(key).signature]))
  const counted = new SignatureBook({
    ...FLEET,
    ...{ quorum: 2, trusted: new Set(KEYS), signer: null },
    areValid: (_content, signatures) => {
      checks.push(signatures.length)
      return signatures.every(({ key, signature }) => valid.get(key)?.equals(signature) === true)
    },
  })
  return { book: counted, checks }
}

t.test('signatures of two keys suffice for two, of one twice they do not', async (t) => {
  const two = book(2)
  t.notOk(two.suffices(BLOCK))
  t.ok(two.hear(BLOCK, [signed(ADA)]))
  t.notOk(two.hear(BLOCK, [signed(ADA)]), 'it is known')
  t.notOk(two.suffices(BLOCK))
  t.ok(two.hear(BLOCK, [signed(BOB)]))
  t.ok(two.suffices(BLOCK))
  t.same(
    two.of(BLOCK).map(({ key }) => key),
    KEYS,
  )
  t.ok(book(0).suffices(BLOCK), 'without a quorum none are asked for')
})

t.test('a signature of anything else does not count', async (t) => {
  const others: readonly (readonly [string, HeadSignature])[] = [
    ['another fleet', signed(BOB, BLOCK, { ...FLEET, fleet: 'tesu' })],
    ['another genesis', signed(BOB, BLOCK, { ...FLEET, genesis: Buffer.alloc(32, 6) })],
    ['another number', signed(BOB, { ...BLOCK, number: 8 })],
    ['another hash', signed(BOB, { ...BLOCK, hash: Buffer.alloc(32, 8) })],
    ['another difficulty', signed(BOB, { ...BLOCK, totalDifficulty: 1n })],
    ['another key', { ...signed(EVE), key: BOB.publicKey }],
    ['a key that is not trusted', signed(EVE)],
    ['a snapshot', { key: BOB.publicKey, signature: Buffer.from(BOB.sign('07'.repeat(32)), 'hex') }],
    ['no point of the curve', { key: BOB.publicKey, signature: Buffer.alloc(96, 3) }],
  ]
  for (const [what, signature] of others) {
    const two = book(2)
    two.hear(BLOCK, [signed(ADA), signature])
    t.notOk(two.suffices(BLOCK), what)
    t.same(
      two.of(BLOCK).map(({ key }) => key),
      [ADA.publicKey],
      `${what} does not spoil another one`,
    )
  }
})

t.test('junk among good ones, and two that would cancel out', async (t) => {
  const two = book(2)
  two.hear(BLOCK, [junk(ADA, 1), signed(BOB)])
  t.notOk(two.suffices(BLOCK))
  t.ok(two.hear(BLOCK, [signed(ADA)]), 'the true one is taken after one that was not')
  t.ok(two.suffices(BLOCK))
  t.notOk(two.hear(BLOCK, [junk(ADA, 2)]), 'and stays')

  const swapped = book(2)
  swapped.hear(BLOCK, [
    { key: ADA.publicKey, signature: signed(BOB).signature },
    { key: BOB.publicKey, signature: signed(ADA).signature },
  ])
  t.same(swapped.of(BLOCK), [], 'the plain sum of these two would be right')
})

t.test('what is checked is bounded', async (t) => {
  const { book: counted, checks } = countedBook()
  counted.hear(BLOCK, [signed(ADA)])
  counted.suffices(BLOCK)
  t.same(checks, [], 'nothing while fewer are claimed than needed')
  counted.hear(BLOCK, [signed(BOB), signed(EVE)])
  t.ok(counted.suffices(BLOCK) && counted.suffices(BLOCK))
  t.same(checks, [2], 'all at once, and once')

  const { book: spoilt, checks: tries } = countedBook()
  for (let seed = 0; seed < 50; seed += 1) {
    spoilt.hear(BLOCK, [junk(ADA, seed), junk(BOB, seed)])
    spoilt.suffices(BLOCK)
  }
  t.ok(tries.length <= 40, `${tries.length} checks for a hundred that are not valid`)
  t.notOk(spoilt.hear(BLOCK, [junk(ADA, 99)]), 'no more of that key for that block')
  t.ok(spoilt.hear({ ...BLOCK, number: 8 }, [junk(ADA, 99)]), 'for another one it begins anew')
})

t.test('what is kept is bounded, and the head stays', async (t) => {
  const two = book(2)
  two.hear(BLOCK, [signed(ADA), signed(BOB)])
  two.headChanged(BLOCK)
  for (let number = 100; number < 400; number += 1) {
    const block = {
      number,
      hash: Buffer.alloc(32, number),
      totalDifficulty: BLOCK.totalDifficulty + BigInt(number),
    }
    two.hear(block, [signed(ADA)])
  }
  t.ok(two.suffices(BLOCK))
  const first = { number: 100, hash: Buffer.alloc(32, 100), totalDifficulty: BLOCK.totalDifficulty + 100n }
  t.same(two.of(first), [], 'the oldest is gone')
  two.headChanged({ ...BLOCK, number: 8, totalDifficulty: BLOCK.totalDifficulty + 1000n })
  t.same(two.of(BLOCK), [], 'what is behind the head is gone')

  const open = createSignatureBook(FLEET, { quorum: 0, keys: [] }, null)
  for (let at = 0; at < 100; at += 1)
    open.hear(BLOCK, [{ key: at.toString(16).padStart(96, '0'), signature: Buffer.alloc(96) }])
  t.equal(open.of(BLOCK).length, MOST_SIGNATURES, 'without keys as many are passed on')
})

t.test('a member signs each block once, and counts its own key as that of others', async (t) => {
  const one = book(1, KEYS, ADA)
  const signature = one.sign(BLOCK)
  t.equal(one.sign(BLOCK), signature)
  t.same(signature, signed(ADA).signature)
  t.ok(one.suffices(BLOCK))
  const other = book(1, [BOB.publicKey], ADA)
  other.sign(BLOCK)
  t.notOk(other.suffices(BLOCK), 'its key is not trusted here')
  t.equal(book(1).sign(BLOCK), null)
})

t.test(
  'what is signed: new blocks, a head that lacks signatures, no more than a few at a time',
  async (t) => {
    const head: FleetHead = {
      ...BLOCK,
      revision: 3,
      epoch: 1,
      leader: MEMBER,
      members: [MEMBER],
      signatures: [],
    }
    const above = Array.from({ length: 10 }, (_, at): FleetBlock => {
      const number = 20 - at
      return {
        number,
        hash: Buffer.alloc(32, number),
        totalDifficulty: BLOCK.totalDifficulty + BigInt(number),
      }
    })
    const scene: SigningScene = {
      ...{ applied: head, canonical: BLOCK, executed: [...above, BLOCK], shared: [], needed: 2, now: 0 },
    }
    const numbers = (signing: BlockSigning, of: SigningScene) =>
      signing.sign(of)?.blocks.map(({ block }) => block.number)
    const own = book(2, KEYS, ADA)
    t.same(numbers(new BlockSigning(own), scene), [7, 20])
    t.equal(new BlockSigning(own).sign({ ...scene, needed: 0 }), null, 'nobody needs any')
    t.equal(new BlockSigning(book(2)).sign(scene), null, 'without a key')
    const full = { ...head, signatures: [signed(ADA)] }
    t.same(numbers(new BlockSigning(own), { ...scene, applied: full }), [20], 'the entry has its signature')
    own.hear(above[4] as FleetBlock, [signed(BOB, above[4])])
    t.same(numbers(new BlockSigning(own), { ...scene, applied: full }), [20, 16], 'one that another signed')

    const busy = book(2, KEYS, ADA)
    const signing = new BlockSigning(busy)
    for (const block of above) busy.hear(block, [signed(BOB, block)])
    t.equal(numbers(signing, scene)?.length, 4)
    t.ok(signing.isLate)
    t.equal(numbers(signing, { ...scene, now: 50 })?.length, 5)
    t.notOk(signing.isLate)
  },
)

t.test('messages carry signatures; those of an earlier version have none', async (t) => {
  const signatures = [signed(ADA), signed(BOB)]
  const entry = { ...BLOCK, epoch: 1, leader: MEMBER, members: [MEMBER] }
  t.same(decodeHead(encodeHead({ ...entry, signatures }), 9), { ...entry, signatures, revision: 9 })
  const old = pack([1, MEMBER, blockFields(BLOCK), [MEMBER]])
  t.same(decodeHead(old, 9), { ...entry, signatures: [], revision: 9 })

  const request = { epoch: 1, revision: 2, hash: BLOCK.hash }
  t.same(decodePrepare(encodePrepare({ ...request, signatures })), { ...request, signatures })
  t.same(encodePrepare(request), pack([1, 2, BLOCK.hash]), 'one without is as it was')

  const announcement: Announcement = {
    ...{ member: MEMBER, name: 'a', number: 1, version: '1', applied: 2, pledge: 1, wants: true },
    ...{ head: BLOCK, lag: 0, load: 0.5, executed: [{ ...BLOCK, number: 8, hash: Buffer.alloc(32, 8) }] },
    quorum: 2,
    signed: { key: ADA.publicKey, blocks: [{ block: BLOCK, signature: signed(ADA).signature }] },
  }
  t.same(decodeAnnouncement(encodeAnnouncement(announcement)), announcement)
  const bytes = encodeAnnouncement(announcement).length
  const without = encodeAnnouncement({ ...announcement, signed: null }).length
  t.ok(bytes - without < 160, `a signature adds ${bytes - without} bytes`)
  const other = { ...BLOCK, hash: Buffer.alloc(32, 99) }
  const unnamed = {
    ...announcement,
    signed: { key: ADA.publicKey, blocks: [{ block: other, signature: Buffer.alloc(96) }] },
  }
  t.same(
    decodeAnnouncement(encodeAnnouncement(unnamed)).signed?.blocks,
    [],
    'of a block that it does not name',
  )
})

t.test('messages out of bounds', async (t) => {
  const many = Array.from({ length: MOST_SIGNATURES + 1 }, () => signed(ADA))
  const head = (signatures: unknown) => pack([1, MEMBER, blockFields(BLOCK), [], signatures])
  const pair = (key: number, signature: number) => [Buffer.alloc(key), Buffer.alloc(signature)]
  const refused: readonly (readonly [string, unknown])[] = [
    ['too many', many.map(() => pair(48, 96))],
    ['a short key', [pair(47, 96)]],
    ['a long key', [pair(49, 96)]],
    ['a short signature', [pair(48, 95)]],
    ['a long signature', [pair(48, 97)]],
    ['no list', 'a'],
    ['no pair', [1]],
  ]
  for (const [what, signatures] of refused)
    t.throws(() => decodeHead(head(signatures), 1), { code: 'Malformed' }, what)
  t.equal(
    decodeHead(encodeHead({ ...BLOCK, epoch: 1, leader: MEMBER, members: [], signatures: many }), 1)
      .signatures?.length,
    64,
  )
  const largest = encodeHead({
    ...{ ...BLOCK, epoch: 1, leader: MEMBER, signatures: many },
    members: Array.from({ length: MOST_MEMBERS }, () => MEMBER),
  })
  t.ok(largest.length < MOST_HEAD_BYTES, 'the largest fits')
})

t.test('a head that waits a moment is not told of', async (t) => {
  const watch = new WaitWatch()
  const wait = { number: 7, signatures: 1, needed: 2 }
  t.equal(watch.look(wait, 0), null)
  t.equal(watch.look(wait, 999), null)
  t.equal(watch.look(wait, 1000), wait)
  t.equal(watch.look(null, 1001), null)
  t.equal(watch.look(wait, 1002), null)
})
