import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unzipSync } from 'fflate'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { resolve } = createRequire(import.meta.url)

/**
 * Calls `work` with a function that runs Helm and returns {isDone, output}. The program is part of
 * a package for Linux on x64; elsewhere, does nothing and returns false.
 */
export function withHelm(work) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false
  const scratch = mkdtempSync(join(tmpdir(), 'tradepost-helm-'))
  try {
    const helm = unpack(scratch)
    work((...args) => attempt(helm, args))
  } finally {
    rmSync(scratch, { recursive: true })
  }
  return true
}

function unpack(folder) {
  const archive = readFileSync(join(dirname(resolve('@aws-cdk/asset-kubectl-v20')), 'layer.zip'))
  const { 'helm/helm': program } = unzipSync(archive, {
    filter: ({ name }) => name === 'helm/helm',
  })
  const helm = join(folder, 'helm')
  writeFileSync(helm, program)
  chmodSync(helm, 0o755)
  return helm
}

/** Runs a program in the project's directory, and returns its output, errors included. */
export function attempt(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return { isDone: status === 0, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}` }
}
