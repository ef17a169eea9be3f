import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const CODE = 'src,test,scripts,bench,sdk,migrations,bin,dashboard'
const DOCS = ['*.md', 'docs/**/*.md', 'sdk/README.md']

/** A file that the reader creates. */
const OTHERS = ['receive.mjs']

const find = (pattern: string | string[]) =>
  globSync(pattern, { exclude: (path) => /node_modules|dist$/.test(String(path)) }).sort()
const read = (paths: string[]) => paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }))

const code = find(`{${CODE}}/**/*.{ts,tsx,js,mjs,css,sql,json,tsv}`)
const docs = read(find(DOCS))
const known = [...code, ...docs.map(({ path }) => path)]

/** Returns paths that do not exist in the repository, with the places that name them. */
function missing(files: typeof docs, pattern: RegExp, exists: (name: string) => boolean) {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, i) =>
      [...line.matchAll(pattern)]
        .map(([, name = '']) => name)
        .filter((name) => !exists(name))
        .map((name) => `${path}:${i + 1} ${name}`),
    ),
  )
}

test('the docs name only paths that exist', () => {
  const paths = new RegExp(`(?<![\\w/.-])((?:${CODE.replaceAll(',', '|')}|docs)/[\\w./-]*\\w)`, 'g')
  // A command can name the beginning of a path: npm test -- test/errors
  const exists = (name: string) =>
    name === 'sdk/dist' || existsSync(name) || known.some((path) => path.startsWith(name))
  expect(missing(docs, paths, exists)).toEqual([])
})

test('the docs name only files that exist, also without their folder', () => {
  const names = /`([\w-][\w./-]*\.(?:tsx?|m?js|sql))(?=[`:])/g
  const exists = (name: string) =>
    OTHERS.includes(name) || known.some((path) => `/${path}`.endsWith(`/${name}`))
  expect(missing(docs, names, exists)).toEqual([])
})

test('links between the docs lead to existing pages', () => {
  const broken = docs.flatMap((file) => {
    const text = file.text.replace(/`[^`\n]*`/g, '')
    return missing([{ ...file, text }], /\]\((?![a-z]+:)([^)#\s]+)/g, (to) =>
      existsSync(join(dirname(file.path), to)),
    )
  })
  expect(broken).toEqual([])
})

test('comments in the code refer to pages that exist', () => {
  expect(missing(read(code), /\b(docs\/[\w./-]+\.md)/g, existsSync)).toEqual([])
})
