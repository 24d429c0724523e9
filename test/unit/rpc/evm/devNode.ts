import type { Test } from 'tap'
import type { PartialConfig } from '../../../../src/config/schema.ts'
import { type LiveNode, openLiveNode } from '../../../support/liveNode.ts'
import { testFolder } from '../../../support/testFolder.ts'

/** An answer of the node under test. */
export interface DevAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of many shapes
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

/** A development node that answers in this thread. */
export interface DevNode {
  readonly live: LiveNode
  /** The result; an error is thrown. */
  ask(method: string, ...params: readonly unknown[]): Promise<NonNullable<DevAnswer['result']>>
  /** The whole answer. */
  answer(method: string, ...params: readonly unknown[]): Promise<DevAnswer>
}

/** Opens a regtest node that is closed with the test. */
export async function openDevNode(t: Test, config: PartialConfig = {}): Promise<DevNode> {
  const live = await openLiveNode(
    { dataDir: testFolder(t), mining: false, accountQuota: false, ...config },
    Date.now(),
    (request) => live.node.core.dev?.mine(request) ?? Promise.reject(new Error('no development chain')),
    (method, error) => t.fail(method, { error }),
  )
  t.teardown(() => live.close())
  const answer = async (method: string, ...params: readonly unknown[]): Promise<DevAnswer> => {
    const { text } = await live.service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return JSON.parse(text) as DevAnswer
  }
  return {
    live,
    answer,
    ask: async (method, ...params) => {
      const { result, error } = await answer(method, ...params)
      if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
      return result
    },
  }
}
