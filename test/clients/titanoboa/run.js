import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Python packages go to a folder of their own, which goes with the run.
const folder = mkdtempSync(join(tmpdir(), 'rhizome-titanoboa-'))
const python = join(folder, 'bin', 'python')
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
const run = (program, ...args) =>
  execFileSync(program, args, { stdio: 'inherit', cwd: import.meta.dirname, env })
try {
  run('python3', '-m', 'venv', folder)
  run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt')
  run(python, '-m', 'unittest', '-v', 'network')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
