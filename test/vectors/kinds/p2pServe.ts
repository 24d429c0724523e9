import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import type { ActivationHeights } from '../../../src/config/activations.ts'
import { createNetworkSpec, type NetworkSpec } from '../../../src/config/networkSpec.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import { type OpenChain, openChain } from '../../../src/execution/openChain.ts'
import { decodePeerMessage, encodePeerMessage } from '../../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage } from '../../../src/p2p/messages/rskMessage.ts'
import { answerRequest, type ChainRequest } from '../../../src/sync/serve/answerRequest.ts'
import { isRequest } from '../../../src/sync/serve/requestServer.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { COMPRESSED_ENDING, collect, streamJsonLines } from '../../support/jsonLines.ts'
import type { Comparison } from '../comparison.ts'
import type { MessageLine } from './p2p/lines.ts'

interface ChainHead {
  readonly network: string
  readonly activationHeights: Partial<ActivationHeights>
}
interface ChainBlock {
  readonly number: number
  readonly hash: string
  readonly rlp: string
}
/** A message of a session. */
type SessionLine = MessageLine & { readonly conn?: string }

/** A question and what was answered to it, by a node whose best block is known. */
interface Exchange {
  readonly name: string
  readonly question: ChainRequest
  /** Payload of the answer; null where the node went on without one. */
  readonly answer: Buffer | null
  /** Best block of who answered, hex. */
  readonly head: string
}

const ANNOUNCEMENTS: ReadonlySet<string> = new Set(['BLOCK', 'NEW_BLOCK_HASHES', 'NEW_BLOCK_HASH'])

const OTHER_SIDE: Readonly<Record<string, string>> = { 'rskj>peer': 'peer>rskj', 'peer>rskj': 'rskj>peer' }

/**
 * p2p-sessions.jsonl: what this node answers to the questions of both sides on the chain that the file names, against
 * what was answered. Where there is no such chain file beside it, nothing is compared.
 */
export async function compareServed(
  lines: readonly unknown[],
  comparison: Comparison,
  path: string,
): Promise<void> {
  const [header, ...messages] = lines as [{ readonly chain?: string }, ...SessionLine[]]
  const chainPath = findChain(path, header.chain)
  if (chainPath === null) return
  const chainLines = await collect(streamJsonLines(chainPath))
  const [head, genesis, ...blocks] = chainLines as [ChainHead, ChainBlock, ...ChainBlock[]]
  const network = networkByName(head.network.replace(/^--/, '') as NetworkName)
  const spec = createNetworkSpec(network, { activationHeights: head.activationHeights })
  const exchanges = readExchanges(messages)
  const dataDir = await mkdtemp(join(tmpdir(), 'rhizome-vectors-'))
  try {
    const opened = openChain({ spec, dataDir })
    try {
      compareAt(genesis, opened, spec, exchanges, comparison)
      for (const block of blocks) {
        opened.chain.connect(parseBlock(spec, fromHex(block.rlp)))
        compareAt(block, opened, spec, exchanges, comparison)
      }
    } finally {
      await opened.close()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The exchanges with a node whose best block is the one that was just connected. */
function compareAt(
  block: ChainBlock,
  { chain }: OpenChain,
  spec: NetworkSpec,
  exchanges: readonly Exchange[],
  comparison: Comparison,
): void {
  const hash = block.hash.replace(/^0x/, '')
  for (const { name, question, answer } of exchanges.filter((exchange) => exchange.head === hash)) {
    comparison.case(name, (values) => {
      values.equal('head', hash, chain.head.hash.toString('hex'))
      const ours = answerRequest({ spec, reader: chain.reader }, question)
      values.equal('answer', hexOf(answer), hexOf(ours && encodePeerMessage(ours).payload))
    })
  }
}

function readExchanges(messages: readonly SessionLine[]): Exchange[] {
  const heads = new Map<string, string>()
  const exchanges: Exchange[] = []
  messages.forEach((line, index) => {
    if (line.layer !== 'rsk' || line.conn === undefined || line.code === undefined) return
    if (line.decoded === undefined || 'undecodable' in line.decoded) return
    const payload = Buffer.from(line.payload, 'hex')
    if (line.name === 'STATUS') {
      heads.set(`${line.conn} ${line.direction}`, String(line.decoded['bestHash']))
      return
    }
    // After announcements nothing tells which of them the next answers know.
    if (ANNOUNCEMENTS.has(line.name)) heads.delete(`${line.conn} ${line.direction}`)
    const question = readQuestion(line.code, payload)
    if (question === null) return
    const other = OTHER_SIDE[line.direction]
    const head = heads.get(`${line.conn} ${other}`)
    const later = messages.slice(index + 1).filter((next) => next.conn === line.conn)
    const answered = later.findIndex(
      (next) => next.layer === 'rsk' && next.direction === other && answers(next, question),
    )
    const answer = later[answered]
    const rest = later.slice(answered + 1)
    // Who says nothing more may have closed the connection instead of not answering.
    if (head === undefined || (answer === undefined && !rest.some(({ direction }) => direction === other)))
      return
    // The reference asks nothing more of whom it does not believe: these headers were wrong on purpose.
    const isBelieved = rest.some(
      ({ name, direction }) => direction === line.direction && /REQUEST/.test(name),
    )
    if (line.direction === 'rskj>peer' && question.type === 'blockHeadersRequest' && !isBelieved) return
    exchanges.push({
      name: `${line.scenario} ${line.seq} ${line.name}`,
      question,
      answer: answer === undefined ? null : Buffer.from(answer.payload, 'hex'),
      head,
    })
  })
  return exchanges
}

function readQuestion(code: number, payload: Buffer): ChainRequest | null {
  let message: PeerMessage
  try {
    message = decodePeerMessage(code, payload)
  } catch {
    // What does not decode is compared elsewhere.
    return null
  }
  return isRequest(message) && !message.type.startsWith('snap') ? (message as ChainRequest) : null
}

function answers({ name, decoded, payload, code }: SessionLine, question: ChainRequest): boolean {
  if (question.type !== 'getBlock') {
    return name.endsWith('_RESPONSE') && decoded?.['id'] === question.id.toString()
  }
  if (name !== 'BLOCK' || code === undefined) return false
  const message = decodePeerMessage(code, Buffer.from(payload, 'hex'))
  return message.type === 'block'
}

/** The chain file: beside the sessions, or where it is among the recorded files. */
function findChain(path: string, name: string | undefined): string | null {
  if (name === undefined) return null
  const folder = dirname(path)
  const names = [
    name,
    ...['.zst', '.gz', '.br'].map((ending) => name.replace(COMPRESSED_ENDING, '') + ending),
  ]
  const places = [folder, join(folder, '..', 'rpc'), join(folder, '..')]
  return places.flatMap((place) => names.map((file) => join(place, file))).find(existsSync) ?? null
}

function hexOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : bytes.toString('hex')
}
