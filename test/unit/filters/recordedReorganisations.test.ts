import t from 'tap'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import { parseReceipt } from '../../../src/chain/codec/receipt.ts'
import { DEFAULT_EVENT_LIMITS, FrontEvents } from '../../../src/filters/frontEvents.ts'
import { EVENT_TEXTS } from '../../../src/rpc/format/eventTexts.ts'
import { StoredChain } from '../../../src/rpc/node/storedChain.ts'
import { fromHex, toHex } from '../../../src/util/bytes.ts'
import { createLocalService } from '../../support/ask.ts'
import { createChainContext } from '../../support/chainContext.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

interface Line {
  readonly type: string
  readonly rlp: string
}

interface FoundLog {
  readonly removed?: boolean
  readonly blockHash: string
  readonly logIndex: string
}

// A chain of the reference node with side blocks, uncles and changes of the best block.
const blocks = readVectorLines<Line>('consensus/remasc.jsonl')
  .filter(({ type }) => type === 'block')
  .map(({ rlp }) => parseBlock(REGTEST, fromHex(rlp)))

const nameOf = ({ blockHash, logIndex }: FoundLog) => `${blockHash}/${logIndex}`

/** Adds and takes away as a follower does who sees nothing but events; what does not fit is an error. */
function follow(state: Set<string>, log: FoundLog): void {
  const name = nameOf(log)
  if (log.removed === true ? !state.delete(name) : state.has(name)) throw new Error(`${name} does not fit`)
  if (log.removed === false) state.add(name)
}

t.test('who follows events over recorded reorganisations has the logs of the canonical chain', async (t) => {
  const { chain, environment } = openTestChain(t)
  const stored = new StoredChain(REGTEST, environment)
  const base = createChainContext(stored)
  const events = new FrontEvents(base, EVENT_TEXTS, DEFAULT_EVENT_LIMITS)
  const service = createLocalService({
    ...base,
    front: events,
    refresh: () => stored.refresh(),
    release: () => stored.release(),
  })
  t.teardown(() => service.close())
  const ask = async (method: string, ...params: readonly unknown[]) => {
    const answer = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return (JSON.parse(answer.text) as { result: never }).result
  }

  const subscribed = new Set<string>()
  const heads: string[] = []
  let removals = 0
  const logs = {
    notify: (frame: Uint8Array) => {
      const { params } = JSON.parse(Buffer.from(frame).toString()) as { params: { result: FoundLog } }
      if (params.result.removed === true) removals += 1
      follow(subscribed, params.result)
    },
  }
  const headers = {
    notify: (frame: Uint8Array) => {
      const { params } = JSON.parse(Buffer.from(frame).toString()) as { params: { result: { hash: string } } }
      heads.push(params.result.hash)
    },
  }
  events.subscriptions.subscribe(logs, { kind: 'logs', criteria: { addresses: [], topics: [] } })
  events.subscriptions.subscribe(headers, { kind: 'newHeads' })
  const logFilter: string = await ask('eth_newFilter', {})
  const blockFilter: string = await ask('eth_newBlockFilter')
  const enacted: string[] = []
  chain.onHead((change) => {
    stored.release()
    events.headChanged(change)
    enacted.push(...change.enacted.map(({ hash }) => toHex(hash)))
  })

  const polled = new Set<string>()
  const polledBlocks: string[] = []
  for (const [index, block] of blocks.entries()) {
    chain.connect(block)
    // Polls of different distances: 1, 7, 2, 6, …
    if ((index * index) % 11 !== 3) continue
    for (const log of (await ask('eth_getFilterChanges', logFilter)) as FoundLog[]) follow(polled, log)
    polledBlocks.push(...((await ask('eth_getFilterChanges', blockFilter)) as string[]))
  }
  for (const log of (await ask('eth_getFilterChanges', logFilter)) as FoundLog[]) follow(polled, log)
  polledBlocks.push(...((await ask('eth_getFilterChanges', blockFilter)) as string[]))

  const canonical: string[] = []
  const byTopic = new Map<string, string[]>()
  for (let number = 1; number <= chain.head.number; number += 1) {
    const hash = chain.reader.hashByNumber(number)
    if (hash === null) throw new Error(`no block ${number}`)
    const own =
      chain.reader.encodedReceipts({ number, hash })?.flatMap((receipt) => parseReceipt(receipt).logs) ?? []
    for (const [logIndex, { topics }] of own.entries()) {
      const name = nameOf({ blockHash: toHex(hash), logIndex: `0x${logIndex.toString(16)}` })
      canonical.push(name)
      const topic = topics[1] === undefined ? null : toHex(topics[1])
      if (topic !== null) byTopic.set(topic, [...(byTopic.get(topic) ?? []), name])
    }
  }
  t.ok(removals > 20, `${removals} removed logs were seen`)
  t.ok(canonical.length > 500)
  t.same([...subscribed].sort(), [...canonical].sort(), 'subscription')
  t.same([...polled].sort(), [...canonical].sort(), 'filter')
  t.same(heads, enacted)
  t.same(polledBlocks, enacted)
  const found = async (filter: unknown) => ((await ask('eth_getLogs', filter)) as FoundLog[]).map(nameOf)
  t.same(await found({ fromBlock: 'earliest' }), canonical, 'eth_getLogs')
  t.ok(byTopic.size > 5)
  for (const [topic, names] of byTopic) {
    t.same(await found({ fromBlock: 'earliest', topics: [null, topic] }), names, topic)
  }
})
