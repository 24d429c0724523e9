import type { Test } from 'tap'
import type { BlockReference } from '../../src/chain/tables/blockKey.ts'
import { DEFAULT_EVENT_LIMITS, type FilterOpener, FrontEvents } from '../../src/filters/frontEvents.ts'
import { type Caller, unlimitedCaller } from '../../src/gateway/access/caller.ts'
import { FrontHead } from '../../src/gateway/entrance/frontHead.ts'
import type { Exchange } from '../../src/gateway/exchange.ts'
import type { ChainSharing } from '../../src/node/chainThread/chainSharing.ts'
import { EVENT_TEXTS } from '../../src/rpc/format/eventTexts.ts'
import { InterruptTable } from '../../src/workers/interrupts.ts'
import { createLocalService } from './ask.ts'
import { openLocalNode } from './localNode.ts'
import { testFolder } from './testFolder.ts'

/** An answer as a client of the scene got it. */
export interface SceneAnswer {
  readonly text: string
  readonly status: number
  /** The block that was recorded for it. */
  readonly block: BlockReference | null
}

/** A front thread over a chain in this thread, which is notified of heads when the test says so. */
export function openHeadScene(t: Test, sharing?: ChainSharing, filters?: FilterOpener) {
  const interrupts = new InterruptTable()
  const { context: alone, core } = openLocalNode(
    t,
    { dataDir: testFolder(t), accountQuota: false },
    sharing === undefined ? {} : { sharing },
  )
  const context = { ...alone, interrupt: { flags: new Int32Array(interrupts.shared), slot: 0 } }
  const head = new FrontHead(context)
  const front = new FrontEvents(context, EVENT_TEXTS, DEFAULT_EVENT_LIMITS, filters)
  const { gateway, close } = createLocalService(
    { ...context, front },
    { stateStore: core.open.stateStore, head, namesBlocks: true },
  )
  t.teardown(close)
  const caller = unlimitedCaller('test')
  /** Ids in the order of their answers. */
  const order: string[] = []
  /** @param left says later that the client is gone */
  const askAs = (
    caller: Caller,
    body: string,
    more: { readonly minBlock?: number } = {},
    left: { gone?: boolean } = {},
  ): Promise<SceneAnswer> =>
    new Promise((resolve) => {
      let held = 0
      let block: BlockReference | null = null
      const exchange: Exchange = {
        caller,
        ...(more.minBlock === undefined ? {} : { minBlock: more.minBlock }),
        answer: (answer, status) => {
          const text = typeof answer === 'string' ? answer : Buffer.from(answer).toString('utf8')
          order.push(/"id":(\w+)/.exec(text)?.[1] ?? text)
          caller.account.memory.release(held)
          held = 0
          resolve({ text, status, block })
        },
        hold: (bytes) => {
          if (!caller.account.memory.take(bytes)) return false
          held += bytes
          return true
        },
        givenAt: (given) => {
          if (block === null || given.number < block.number) block = given
        },
        onGone: undefined,
        get gone() {
          return left.gone ?? false
        },
      }
      const bytes = Buffer.from(body)
      gateway.handle(bytes, exchange)
      // What waits has to be a copy: the library takes its memory back.
      bytes.fill(0)
    })
  const ask = (body: string, more?: { readonly minBlock?: number }, left?: { gone?: boolean }) =>
    askAs(caller, body, more, left)
  /** Tells the gateway of the head of the chain, as the chain thread does. */
  const reportHead = () => {
    gateway.onChange()
    context.refresh()
    try {
      gateway.lookAtHead()
    } finally {
      context.release()
    }
    gateway.headChanged()
  }
  /** Makes a block of which the front thread knows nothing yet; its hash. */
  const mine = async (): Promise<Buffer> => {
    await context.commands.mine()
    context.refresh()
    try {
      return context.chain.head().hash
    } finally {
      context.release()
    }
  }
  return { gateway, context, core, front, head, caller, order, ask, askAs, reportHead, mine }
}

/** A request as JSON text. */
export function request(method: string, params: readonly unknown[] = [], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}
