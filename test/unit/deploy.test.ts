import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { EXIT_CODES } from '../../src/cli/exitCodes.ts'
import { parseEnvironment } from '../../src/config/environment.ts'
import { fillDefaults } from '../../src/config/load.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { OPTIONS } from '../../src/config/schema.ts'

function readDeployed(name: string): string {
  return readFileSync(new URL(`../../.deploy/${name}`, import.meta.url), 'utf8')
}

const unit = readDeployed('systemd/rhizome.service')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

t.test('the unit is one that systemd takes', { skip: !hasSystemd && 'systemd-analyze is not here' }, (t) => {
  // Program and user of the target machine are not here.
  const path = join(t.testdir(), 'rhizome.service')
  const here = unit
    .replace(/^(User|Group)=.*$/gm, '$1=root')
    .replace('/usr/bin/node', process.execPath)
    .replace('file:/opt/rhizome/node_modules/rhizome/README.md', 'https://example.com')
  writeFileSync(path, here)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  t.equal(stderr, '')
  t.equal(status, 0)
  t.end()
})

t.test('the unit waits longer for the end than the node takes', (t) => {
  const { drainDelay, drainTimeout } = fillDefaults({})
  const limit = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
  t.ok(limit > drainDelay + drainTimeout)
  const { services } = parse(readDeployed('container/compose.yaml')) as {
    services: {
      rhizome: {
        stop_grace_period: string
        read_only: boolean
        ports: string[]
        environment: Record<string, string>
      }
    }
  }
  t.ok(Number.parseInt(services.rhizome.stop_grace_period, 10) > drainDelay + drainTimeout)
  t.equal(services.rhizome.read_only, true)
  t.match(parseEnvironment(services.rhizome.environment), { network: 'testnet' })
  const { metricsPort } = fillDefaults({ profile: 'hosted' })
  t.notOk(
    services.rhizome.ports.some((port) => port.includes(`${metricsPort}`)),
    'metrics are not published',
  )
  const { defaultPort } = networkByName('testnet').p2p
  for (const protocol of ['tcp', 'udp']) {
    t.ok(services.rhizome.ports.includes(`${defaultPort}:${defaultPort}/${protocol}`))
  }
  t.end()
})

t.test('the unit runs the installed package, and not again what cannot succeed', (t) => {
  const { bin } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  t.ok(unit.includes(`ExecStart=/usr/bin/node /opt/rhizome/node_modules/rhizome/${bin.rhizome} start `))
  const codes = /^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]?.split(' ').map(Number)
  t.same(codes, [EXIT_CODES.usage, EXIT_CODES.damaged, EXIT_CODES.nativeCore])
  t.end()
})

t.test(
  'the container file packs from the lock files, installs without a compiler and runs as nobody special',
  (t) => {
    const lines = readDeployed('container/Containerfile').replace(/\\\n/g, ' ').split('\n')
    const all = (name: string) =>
      lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
    t.ok(all('RUN').some((command) => command.startsWith('npm ci')))
    const stages = lines.join('\n').split(/^FROM /m)
    const [build = '', last = ''] = stages.slice(-2)
    t.match(build, /npm ci && npm run --silent package -- \/packages/)
    t.notMatch(build, /npm install/)
    t.match(last, /npm install --prefix \/opt\/rhizome --ignore-scripts .*\/packages\/\*\.tgz/)
    t.notMatch(last, /cargo|rustup|apt-get|from=rust/)
    t.match(last, /^COPY --chmod=0755 \.deploy\/container\/entrypoint\.sh \/opt\/rhizome\/entrypoint\.sh$/m)
    t.match(last, /^ENTRYPOINT \["\/opt\/rhizome\/entrypoint\.sh"\]$/m)
    t.match(all('USER').at(-1), /^[1-9]\d*:[1-9]\d*$/)
    t.equal(all('HEALTHCHECK').length, 1)
    const [environment = ''] = all('ENV').slice(-1)
    const given = Object.fromEntries(environment.split(' ').map((pair) => pair.split('=', 2)))
    const config = fillDefaults(parseEnvironment(given))
    t.equal(config.profile, 'hosted')
    t.equal(config.metricsHost, '0.0.0.0', 'metrics are reached from other containers')
    t.ok(all('HEALTHCHECK').join().includes(`127.0.0.1:${config.metricsPort}/health`))
    t.match(all('EXPOSE').at(-1), `${OPTIONS.httpPort.default} ${config.metricsPort}`)
    for (const network of ['main', 'testnet'] as const) {
      const { defaultPort } = networkByName(network).p2p
      t.match(all('EXPOSE').at(-1), `${defaultPort}/tcp ${defaultPort}/udp`)
    }
    t.end()
  },
)

t.test('the image starts no node of a network that nobody chose', (t) => {
  const program = '/opt/rhizome/node_modules/.bin/rhizome'
  const text = readDeployed('container/entrypoint.sh')
  t.equal(text.split(program).length, 2)
  const folder = t.testdir({
    'entrypoint.sh': text.replace(program, () => join(t.testdirName, 'rhizome')),
    rhizome: '#!/bin/sh\necho "$@"\n',
  })
  chmodSync(join(folder, 'rhizome'), 0o755)
  const run = (words: readonly string[], env: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', [join(folder, 'entrypoint.sh'), ...words], {
      encoding: 'utf8',
      env,
    })
    return { status, stdout, stderr }
  }
  for (const words of [['start'], ['start', '--workers', '2'], ['start', '--network-id', '--x']])
    t.match(run(words), {
      status: EXIT_CODES.usage,
      stdout: '',
      stderr: /^error: .*RHIZOME_NETWORK=main.*\n$/,
    })
  t.match(run(['start'], { RHIZOME_NETWORK: '' }), { status: EXIT_CODES.usage })
  const started = (words: readonly string[], env?: Record<string, string>) =>
    t.match(run(words, env), { status: 0, stdout: `${words.join(' ')}\n`, stderr: '' })
  for (const network of ['main', 'testnet', 'regtest']) {
    started(['start', '--workers', '2'], { RHIZOME_NETWORK: network })
    started(['start', '--network', network])
    started(['start', `--network=${network}`])
  }
  started(['start', '--config', '/etc/rhizome.yaml'])
  started(['start'], { RHIZOME_CONFIG: '/etc/rhizome.yaml' })
  started(['start', '--help'])
  started(['--version'])
  started(['check', '--full'])
  t.end()
})
