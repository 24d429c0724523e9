import { join } from 'node:path'
import t from 'tap'
import { startNode } from '../support/nodeProcess.ts'
import { HARDHAT_TESTS } from './hardhatProject.ts'
import { runHardhat, writeProject } from './hardhatRunner.ts'

t.test('the tests of a Hardhat project pass against the node', async (t) => {
  const folder = t.testdir({ data: {} })
  const node = await startNode({ dataDir: join(folder, 'data') })
  t.teardown(() => node.stop())
  const project = join(folder, 'project')
  writeProject(project, node.url, ['Token', 'Failures'], HARDHAT_TESTS)
  const { code, output } = await runHardhat(project, ['test', '--no-compile', '--network', 'rhizome'])
  t.equal(code, 0, output)
  t.match(output, /8 passing/)
})
