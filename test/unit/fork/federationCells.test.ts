import t from 'tap'
import { parseRLPList } from '../../../src/chain/codec/rlpReader.ts'
import { regtest } from '../../../src/config/networks/regtest.ts'
import { fetchFederationCells, isFederationCell } from '../../../src/fork/federationCells.ts'
import { keccak256 } from '../../../src/native/crypto.ts'

const NUMBER = 500
const CREATED = 300
/** Seconds, as the Bridge says since RSKIP419. */
const TIME = 1_700_000_000
const key = (member: number, type: string) => Buffer.alloc(33, `${type}${member}`)
const word = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
const slot = (name: string) => `0x${Buffer.from(name).toString('hex').padStart(64, '0')}`
const selector = (signature: string) => keccak256(Buffer.from(signature)).subarray(0, 4).toString('hex')

/** A Bridge with a federation of two members that follows none. */
function bridge(created: number) {
  const numbers = new Map<string, bigint>([
    ['getFederationSize()', 2n],
    ['getFederationCreationBlockNumber()', BigInt(created)],
    ['getFederationCreationTime()', BigInt(TIME)],
    ['getRetiringFederationSize()', -1n],
  ])
  const answers = new Map([...numbers].map(([name, value]) => [selector(name), word(value)]))
  return async (data: string) => {
    const plain = answers.get(data.slice(2, 10))
    if (plain !== undefined) return Buffer.from(plain, 'hex')
    if (data.slice(2, 10) !== selector('getFederatorPublicKeyOfType(int256,string)')) throw new Error(data)
    const argumentsOf = Buffer.from(data.slice(10), 'hex')
    const type = argumentsOf.subarray(96, 96 + 3).toString()
    const bytes = key(argumentsOf[31] ?? 0, type)
      .toString('hex')
      .padEnd(128, '0')
    return Buffer.from(`${word(32n)}${word(33n)}${bytes}`, 'hex')
  }
}

t.test('a federation is put together of what the Bridge says of it', async (t) => {
  const cells = await fetchFederationCells(regtest, NUMBER, bridge(CREATED))
  const [time, block, members] = parseRLPList(cells.get(slot('newFederation')) as Buffer)
  t.equal(Number(`0x${time?.bytes.toString('hex')}`), TIME * 1000)
  t.equal(Number(`0x${block?.bytes.toString('hex')}`), CREATED)
  // A member is the text of a list of its keys: head and 33 bytes three times, in a list, in a text, both times.
  const all = Buffer.from(members?.bytes ?? [])
  for (const member of [0, 1]) {
    const keys = ['btc', 'rsk', 'mst'].map((type) => Buffer.concat([Buffer.of(0x80 + 33), key(member, type)]))
    t.ok(all.includes(Buffer.concat([Buffer.of(0xb8, 104, 0xf8, 102), ...keys])), `member ${member}`)
  }
  t.same(cells.get(slot('newFederationFormatVersion')), Buffer.from('820fa0', 'hex'))
  t.same(cells.get(slot('oldFederation')), Buffer.alloc(0))
  t.ok([...cells.keys()].every(isFederationCell))
  t.notOk(isFederationCell(slot('pendingFederation')))
})

t.test('the federation of genesis is in no cell', async (t) => {
  const cells = await fetchFederationCells(regtest, NUMBER, bridge(1))
  t.same(
    [...cells.values()],
    Array.from({ length: 4 }, () => Buffer.alloc(0)),
  )
})
