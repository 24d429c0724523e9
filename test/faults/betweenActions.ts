import type { Block } from '../../src/chain/codec/block.ts'
import { fillDefaults } from '../../src/config/load.ts'
import type { ChainCore } from '../../src/node/chainThread/chainCore.ts'
import type { DevControl } from '../../src/node/dev/devControl.ts'
import { createLocalNode, type LocalNode } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import { stateRootAfter } from '../../src/state/stateRoot.ts'
import { bytesToBigInt } from '../../src/util/bytes.ts'

/** Whose balance is edited. */
const ACCOUNT = Buffer.alloc(20, 0x5a)

/** Blocks that are made in one commit. */
const GROUP = 25

/** What a chain of regtest shows of itself. */
export interface Shown {
  readonly height: number
  /** Of the edited account, wei. */
  readonly balance: bigint
  /** Blocks whose state is an edited one. */
  readonly edits: number
}

/** Something that writes both stores. */
interface Action {
  /** What is done before, on a chain that shows {@link Shown}. */
  prepare(core: ChainCore): Promise<Prepared>
  act(core: ChainCore, prepared: Prepared): Promise<unknown>
  /** What is shown when it did not take place, and when it did, from what was shown before all. */
  before(shown: Shown): Shown
  after(shown: Shown): Shown
}

interface Prepared {
  readonly snapshot?: number
  readonly blocks?: readonly Block[]
}

export type ActionName = 'edit' | 'undo' | 'rewind' | 'mine' | 'mineMany' | 'import'

/** Opens a regtest node in this thread that makes no blocks by itself. */
export function openPatient(dataDir: string): LocalNode {
  const config = fillDefaults({ network: 'regtest', mining: false, mergedMining: false, dataDir })
  return createLocalNode({
    chain: chainOptionsFromConfig(config, 'Rhizome-test'),
    node: nodeInfoFromConfig(config, 'test'),
  })
}

/** Sets the balance of the edited account. */
export function edit(core: ChainCore, balance: bigint): Promise<void> {
  return control(core).editAccount({ address: ACCOUNT, balance })
}

export function control({ dev }: ChainCore): DevControl {
  if (dev === null) throw new Error('no development chain')
  return dev
}

export function show({ spec, open }: ChainCore): Shown {
  const { chain, stateStore, environment } = open
  const account = stateStore.account(stateRootAfter(spec, stateStore, chain.head), ACCOUNT)
  return {
    height: chain.head.number,
    balance: account === null ? 0n : bytesToBigInt(account.balance),
    edits: environment.count('stateEdits'),
  }
}

/** The chain shows an edit of its head's state by then. */
export const ACTIONS: Readonly<Record<ActionName, Action>> = {
  edit: {
    prepare: async () => ({}),
    act: (core) => edit(core, 2n),
    before: (shown) => shown,
    after: (shown) => ({ ...shown, balance: 2n }),
  },
  undo: {
    prepare: async (core) => {
      const snapshot = control(core).snapshot()
      await edit(core, 5n)
      return { snapshot }
    },
    act: (core, { snapshot = 0 }) => control(core).revert(BigInt(snapshot)),
    before: (shown) => ({ ...shown, balance: 5n }),
    after: (shown) => shown,
  },
  rewind: {
    prepare: async (core) => {
      const snapshot = control(core).snapshot()
      await edit(core, 5n)
      await core.mine({ count: 2 })
      await edit(core, 6n)
      return { snapshot }
    },
    act: (core, { snapshot = 0 }) => control(core).revert(BigInt(snapshot)),
    before: ({ height, edits }) => ({ height: height + 2, balance: 6n, edits: edits + 1 }),
    after: (shown) => shown,
  },
  mine: {
    prepare: async () => ({}),
    act: (core) => core.mine(),
    before: (shown) => shown,
    after: (shown) => ({ ...shown, height: shown.height + 1 }),
  },
  mineMany: {
    prepare: async () => {
      // A clock that stands still makes one group of them.
      performance.now = () => 0
      return {}
    },
    act: (core) => core.mine({ count: GROUP }),
    before: (shown) => shown,
    after: (shown) => ({ ...shown, height: shown.height + GROUP }),
  },
  import: {
    prepare: async (core) => {
      const { chain } = core.open
      const snapshot = control(core).snapshot()
      const height = chain.head.number
      await core.mine({ count: 2 })
      const blocks = [1, 2].flatMap((above) => chain.reader.blockByNumber(height + above) ?? [])
      await control(core).revert(BigInt(snapshot))
      return { blocks }
    },
    act: async (core, { blocks = [] }) => core.open.chain.connectAll(blocks),
    before: (shown) => shown,
    after: (shown) => ({ ...shown, height: shown.height + 2 }),
  },
}
