import type { Test } from 'tap'
import { fillDefaults } from '../../src/config/load.ts'
import type { PartialConfig } from '../../src/config/schema.ts'
import { createLocalNode, type LocalNode, type LocalNodeOptions } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { type ChainOptions, chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'

/** What a test says about its node beside the configuration. */
export interface LocalNodeFixture extends Pick<LocalNodeOptions, 'listener' | 'now' | 'sharing'> {
  readonly chain?: Partial<ChainOptions>
}

/** A regtest node in this thread, closed at the end of the test unless it was before. */
export function openLocalNode(t: Test, config: PartialConfig, fixture: LocalNodeFixture = {}): LocalNode {
  const complete = fillDefaults({ network: 'regtest', ...config })
  const { chain, ...rest } = fixture
  const node = createLocalNode({
    chain: { ...chainOptionsFromConfig(complete, 'Rhizome-test'), checksOffers: true, ...chain },
    node: nodeInfoFromConfig(complete, 'test'),
    ...rest,
  })
  let closed = false
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    await node.close()
  }
  t.teardown(close)
  return { ...node, close }
}
