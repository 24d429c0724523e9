import t from 'tap'
import { NATS_SKIP } from '../support/natsServer.ts'
import { TestBuild } from '../support/testBuild.ts'
import { testFolder } from '../support/testFolder.ts'
import { askPatiently } from './cluster/askPatiently.ts'
import { TestFleet } from './cluster/testFleet.ts'

t.test(
  'a filter of one member is polled at the other one, also after its member was killed',
  { skip: NATS_SKIP },
  async (t) => {
    const build = await TestBuild.create()
    t.teardown(() => build.remove())
    const program = await build.program()
    const fleet = await TestFleet.start({
      folder: testFolder(t),
      members: 2,
      servers: 1,
      program,
      args: ['--no-mining'],
    })
    t.teardown(() => fleet.close())
    // A poll that is refused, since the owner is not where the member that is asked is, was not done.
    const ask = <T>(member: number, method: string, ...params: readonly unknown[]): Promise<T> =>
      askPatiently<T>(fleet.members[member]?.url ?? '', method, params)
    const first = await ask<string>(0, 'eth_newBlockFilter')
    t.match(first, /^0x[1-9a-f][0-9a-f]{31}$/)
    await ask(1, 'evm_mine')
    const { hash } = await ask<{ hash: string }>(1, 'eth_getBlockByNumber', 'latest', false)
    t.same(await ask(1, 'eth_getFilterChanges', first), [hash])
    t.same(await ask(0, 'eth_getFilterChanges', first), [], 'told once, at whichever member')
    await fleet.members[0]?.end('SIGKILL')
    await fleet.members[0]?.start()
    await fleet.untilReady()
    await ask(1, 'evm_mine')
    const next = await ask<{ hash: string }>(1, 'eth_getBlockByNumber', 'latest', false)
    t.same(await ask(1, 'eth_getFilterChanges', first), [next.hash])
    t.equal(await ask(1, 'eth_uninstallFilter', first), true)
    t.equal(await ask(0, 'eth_uninstallFilter', first), false)
  },
)
