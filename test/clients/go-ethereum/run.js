const { execFileSync, spawnSync } = require('node:child_process')
const { userInfo } = require('node:os')

// The runner gives suites a home of their own; what Go has downloaded is in the one of the account.
const env = { ...process.env, HOME: userInfo().homedir, GOFLAGS: '-mod=readonly' }
const version = execFileSync('go', ['list', '-m', 'github.com/ethereum/go-ethereum'], { cwd: __dirname, env })
process.stdout.write(version)
const { stdout, status } = spawnSync('go', ['test', '-count=1', '-json', './...'], {
  cwd: __dirname,
  env,
  encoding: 'utf8',
})
const events = stdout
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line) => JSON.parse(line))
process.stdout.write(events.map(({ Output }) => Output ?? '').join(''))
const count = (action) => events.filter(({ Action, Test }) => Action === action && Test !== undefined).length
process.stdout.write(`passed ${count('pass')}, failed ${count('fail')}\n`)
process.exitCode = status ?? 1
