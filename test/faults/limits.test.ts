import t from 'tap'
import { startCommand } from '../support/cli.ts'
import { testFolder } from '../support/testFolder.ts'

t.setTimeout(300_000)

for (const [limit, message] of [
  ['ulimit -n 64', /may not open as many files .*`ulimit -n`, LimitNOFILE= of a systemd unit\) to 1024/],
  [
    'ulimit -v 16000000',
    /not given the address space .*`ulimit -v unlimited`\), or reserve less with --store-limit/,
  ],
] as const) {
  t.test(`a node that is started under ${limit} says what helps`, { timeout: 300_000 }, async (t) => {
    const under = ['sh', '-c', `${limit} && exec "$@"`, 'sh']
    const args = ['start', '--no-mining', '--http-port', '0', '--data-dir', testFolder(t)]
    const { code, stderr } = await startCommand(args, under).done
    t.equal(code, 1)
    t.match(stderr, message)
    t.notMatch(stderr, / at .*\.[jt]s:\d/, 'no stack')
  })
}
