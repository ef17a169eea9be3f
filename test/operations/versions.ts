import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { inject } from 'vitest'

/** Everything that a clone needs to run a server. */
const RUNNING = ['bin', 'scripts', 'src', 'migrations', 'sdk', 'dashboard', 'package.json']
const LOCK = 'package-lock.json'

/** Copies this version into its own directory, where a test can change it. */
async function copyOfThis(directory: string): Promise<string> {
  const root = await mkdtemp(join(directory, 'version-'))
  for (const name of [...RUNNING, LOCK]) {
    await cp(name, join(root, name), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    })
  }
  await symlink(resolve('node_modules'), join(root, 'node_modules'))
  return root
}

/** Creates the next version: it has another number and these migrations. */
export async function nextVersion(migrations: Record<string, string>): Promise<string> {
  const root = await copyOfThis(inject('fastestFolder'))
  const manifest = join(root, 'package.json')
  const described = JSON.parse(await readFile(manifest, 'utf8'))
  await writeFile(manifest, JSON.stringify({ ...described, version: NEXT }, undefined, 2))
  for (const [name, text] of Object.entries(migrations)) {
    await writeFile(join(root, 'migrations', `${name}.sql`), text)
  }
  return root
}

export const NEXT = '999.0.0'

/**
 * Returns the directory of the last released version, from its tag, if there is one with the same
 * dependencies. Otherwise, this version plays its part.
 */
export async function previousVersion(): Promise<string> {
  const git = (...args: string[]) => execFileSync('git', args, { maxBuffer: 2 ** 28 })
  const [tag] = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged')
    .toString()
    .split('\n')
  if (!tag || git('show', `${tag}:${LOCK}`).compare(await readFile(LOCK)) !== 0) return resolve('.')
  const root = await mkdtemp(join(inject('fastestFolder'), 'version-'))
  const archive = join(root, 'archive.tar')
  await writeFile(archive, git('archive', tag))
  execFileSync('tar', ['xf', archive, '-C', root])
  await mkdir(join(root, 'dashboard'), { recursive: true })
  await cp('dashboard/dist', join(root, 'dashboard/dist'), { recursive: true })
  await symlink(resolve('node_modules'), join(root, 'node_modules'))
  return root
}
