import { encodeBytes, encodeList, encodeUnsigned } from '../chain/codec/rlpWriter.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { keccak256 } from '../native/crypto.ts'
import { bytesToBigInt, toHex } from '../util/bytes.ts'
import { UpstreamError } from './errors.ts'

/** Answers a call of the Bridge at the block of the fork. */
type CallBridge = (data: string) => Promise<Buffer>

/** Members that a federation can have. */
const MAX_MEMBERS = 100
const WORD = 32
/** Federations of genesis are in no cell; they count from its first block. */
const GENESIS_BLOCK = 1n

/** Name of a cell as its slot: 32 bytes with the name at the end. */
function slotOf(name: string): string {
  return toHex(Buffer.concat([Buffer.alloc(WORD - name.length), Buffer.from(name)]))
}

const SLOTS = ['new', 'old'].flatMap((which) => [
  slotOf(`${which}Federation`),
  slotOf(`${which}FederationFormatVersion`),
])

/** True for a cell of the Bridge that its methods tell. */
export function isFederationCell(slot: string): boolean {
  return SLOTS.includes(slot)
}

/**
 * The cells of the Bridge that hold the federation and the one that it follows, put together of what methods of the
 * Bridge answer. One that was voted for and is not active yet no method shows: it is absent.
 * @returns bytes as stored by slot; none for a cell that is not there
 */
export async function fetchFederationCells(
  spec: NetworkSpec,
  block: number,
  call: CallBridge,
): Promise<ReadonlyMap<string, Buffer>> {
  const cells = await Promise.all([
    federationCells(spec, block, call, 'new', ''),
    federationCells(spec, block, call, 'old', 'Retiring'),
  ])
  return new Map(cells.flat())
}

async function federationCells(
  spec: NetworkSpec,
  block: number,
  call: CallBridge,
  cell: string,
  kind: '' | 'Retiring',
): Promise<[string, Buffer][]> {
  const names = [slotOf(`${cell}Federation`), slotOf(`${cell}FederationFormatVersion`)] as const
  const number = async (name: string) => bytesToBigInt(await call(selector(`get${kind}Federation${name}()`)))
  const size = Number(await number('Size'))
  const created = size > MAX_MEMBERS ? 0n : await number('CreationBlockNumber')
  // No federation is minus one member.
  if (size > MAX_MEMBERS || created <= GENESIS_BLOCK) return names.map((name) => [name, Buffer.alloc(0)])
  const time = (await number('CreationTime')) * (isActive(spec, 'rskip419', block) ? 1000n : 1n)
  const members = await Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const keys = await Promise.all(
        ['btc', 'rsk', 'mst'].map(async (type) => bytesOf(await call(keyCall(kind, index, type)))),
      )
      return encodeBytes(encodeList(keys.map(encodeBytes)))
    }),
  )
  const value = encodeList([encodeUnsigned(time), encodeUnsigned(created), encodeList(members)])
  return [
    [names[0], value],
    [names[1], encodeUnsigned(versionAt(spec, Number(created)))],
  ]
}

/** The format of federations that were made at a height. */
function versionAt(spec: NetworkSpec, number: number): number {
  if (isActive(spec, 'rskip305', number)) return 4000
  if (isActive(spec, 'rskip353', number)) return 3000
  return isActive(spec, 'rskip201', number) ? 2000 : 1000
}

function keyCall(kind: '' | 'Retiring', index: number, type: string): string {
  const words = [index, 2 * WORD, type.length].map((value) => value.toString(16).padStart(2 * WORD, '0'))
  const text = Buffer.concat([Buffer.from(type), Buffer.alloc(WORD - type.length)])
  return `${selector(`get${kind}FederatorPublicKeyOfType(int256,string)`)}${words.join('')}${text.toString('hex')}`
}

function selector(signature: string): string {
  return toHex(keccak256(Buffer.from(signature)).subarray(0, 4))
}

/** The bytes of an answer of one element. */
function bytesOf(answer: Buffer): Buffer {
  const length = answer.length < 2 * WORD ? -1 : Number(bytesToBigInt(answer.subarray(WORD, 2 * WORD)))
  if (length < 0 || length > answer.length - 2 * WORD)
    throw new UpstreamError('MALFORMED', 'the upstream’s Bridge answers with something else than a key')
  return answer.subarray(2 * WORD, 2 * WORD + length)
}
