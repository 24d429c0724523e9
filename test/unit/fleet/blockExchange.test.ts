import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import t from 'tap'
import type { MemberCalls } from '../../../src/fleet/nats/calls.ts'
import { FleetNames } from '../../../src/fleet/nats/names.ts'
import type { FleetConnection } from '../../../src/fleet/nats/natsConnection.ts'
import { BlockExchange } from '../../../src/fleet/runtime/blockExchange.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import { encodedBlocks, openMember, type TestMember } from '../../support/fleetChain.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { testFolder } from '../../support/testFolder.ts'

const BLOCKS = 5

/** The exchange of a member on a server that acknowledges everything, and the ids of what it published. */
function exchangeOf({ core, service }: TestMember) {
  const published: string[] = []
  const unused = () => {
    throw new Error('it only publishes')
  }
  const exchange = new BlockExchange({
    connection: { maxPayload: 1024 * 1024 } as FleetConnection,
    jetstream: {
      publish: async (_subject: string, _chunk: Uint8Array, { msgID = '' }: { msgID?: string }) => {
        published.push(msgID)
        return { seq: published.length }
      },
    } as unknown as JetStreamClient,
    manager: {} as JetStreamManager,
    names: new FleetNames('test'),
    calls: { serve: () => undefined } as unknown as MemberCalls,
    chain: service,
    spec: REGTEST,
    environment: core.open.environment,
    reader: core.open.chain.reader,
    logger: createLogger({ level: 'silent', format: 'json' }),
    others: () => [],
    onExecuted: unused,
    onRefused: unused,
    skipped: unused,
  })
  const publishDownFrom = async (hash: Buffer) => {
    const before = published.length
    exchange.publishDownFrom(hash)
    // Whatever is published is acknowledged within turns of promises.
    await new Promise((resolve) => setImmediate(resolve))
    return published.slice(before)
  }
  return { publishDownFrom }
}

t.test(
  'a member publishes its heaviest block with those before it that the fleet has not come to',
  async (t) => {
    const { core } = openLocalNode(t, { dataDir: testFolder(t), mining: false })
    await core.mine({ count: BLOCKS })
    const { reader } = core.open.chain
    const blocks = Array.from({ length: BLOCKS }, (_, index) => reader.blockByNumber(index + 1)).filter(
      (block) => block !== null,
    )
    const hashes = blocks.map(({ hash }) => hash)
    const ids = hashes.map((hash) => `${hash.toString('hex')}-0`)
    const [heaviest = Buffer.alloc(0)] = hashes.slice(-1)

    const member = openMember(t)
    const { publishDownFrom } = exchangeOf(member)
    t.same(await publishDownFrom(heaviest), [], 'nothing of a block that it does not have')
    await member.service.connect(encodedBlocks(blocks))
    t.same(await publishDownFrom(heaviest), ids, 'the oldest first')
    const [, second = Buffer.alloc(0)] = hashes
    t.same(await publishDownFrom(second), ids.slice(0, 2), 'nothing above it')
    await member.service.moveHead(second)
    t.same(await publishDownFrom(heaviest), ids.slice(2), 'what is canonical is the fleet’s')
    await member.service.moveHead(heaviest)
    t.same(await publishDownFrom(heaviest), [])
  },
)
