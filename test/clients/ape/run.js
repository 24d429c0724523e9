import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Python packages and the project go to a folder of their own, which goes with the run.
const folder = mkdtempSync(join(tmpdir(), 'rhizome-ape-'))
const bin = (name) => join(folder, 'python/bin', name)
const project = join(folder, 'project')
const env = {
  ...process.env,
  HOME: folder,
  PYTHONDONTWRITEBYTECODE: '1',
  CONTRACTS: join(import.meta.dirname, '../../contracts'),
}
const run = (cwd, program, ...args) => execFileSync(program, args, { stdio: 'inherit', cwd, env })
try {
  run(import.meta.dirname, 'python3', '-m', 'venv', join(folder, 'python'))
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt']
  run(import.meta.dirname, bin('python'), ...pip)
  cpSync(join(import.meta.dirname, 'tests'), join(project, 'tests'), { recursive: true })
  const config = readFileSync(join(import.meta.dirname, 'ape-config.yaml'), 'utf8')
  writeFileSync(join(project, 'ape-config.yaml'), config.replace('NODE_URL', process.env.NODE_URL))
  run(project, bin('ape'), 'test', '--network', 'ethereum:rootstock:node')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
