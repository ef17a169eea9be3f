import { ActionIcon, Group, Text } from '@mantine/core'
import { IconPhotoPlus, IconTrash, IconUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Product } from '../../../../../sdk/src/operations.ts'
import { Card } from '../../../ui/DetailPage.tsx'
import { bytesOf, DropZone, IMAGES, startUploads, uploadErrorOf } from '../../../ui/uploads.tsx'
import type { FormState } from '../../../ui/use-form.ts'
import { BulkVariantEdit } from './BulkVariantEdit.tsx'
import { FILES, filesOf, fileTarget } from './Files.tsx'
import { imageTarget, uploadsOf } from './Images.tsx'
import {
  combinationsOf,
  type Draft,
  draftOf,
  EMPTY_DRAFT,
  isSame,
  nameOf,
  saveVariant,
  storeUnsaved,
  type UnsavedVariant,
  VariantRows,
} from './VariantRows.tsx'
import type { Values } from './values.tsx'

/** The same limit as on the server. */
const VARIANTS_MAX = 250
/**
 * With more rows than this, editing is easier after the product has been created, because the rows
 * can then be searched.
 */
const ROWS_MAX = 60

/** Collects what a new product has besides its fields, to send it once the product exists. */
export function useExtras() {
  const queries = useQueryClient()
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Draft>>(new Map())
  const [pictures, setPictures] = useState<readonly File[]>([])
  const [files, setFiles] = useState<readonly File[]>([])
  const [isFinishing, setFinishing] = useState(false)
  return {
    drafts,
    setDrafts,
    pictures,
    setPictures,
    files,
    setFiles,
    isFinishing,
    /**
     * Saves the variants and starts the uploads. What fails can be completed on the product's
     * screen.
     */
    async finish({ productId, variants, price }: Product): Promise<string> {
      const refresh = () => void queries.invalidateQueries()
      if (pictures.length > 0) {
        startUploads(uploadsOf(productId), imageTarget(productId), pictures, refresh)
      }
      if (files.length > 0) startUploads(filesOf(productId), fileTarget(productId), files, refresh)
      setFinishing(true)
      const left = new Map<number, UnsavedVariant>()
      for (const one of variants) {
        const draft = drafts.get(nameOf(one.optionValues))
        const before = draftOf(one, price)
        if (!draft || isSame(draft, before)) continue
        const faults = await saveVariant(productId, one.variantId, draft, before)
        if (faults) left.set(one.variantId, { draft, before, faults })
      }
      storeUnsaved(productId, left)
      refresh()
      setFinishing(false)
      return productId
    },
  }
}

type Extras = ReturnType<typeof useExtras>

/** Lists the variants that will be created, so that users can already enter prices and stock. */
export function NewVariants({ form, of }: { form: FormState<Values>; of: Extras }) {
  const { options, price } = form.values
  const combinations = combinationsOf(options)
  if (combinations.length === 0) return null
  const names = combinations.map(nameOf)
  const change = (which: readonly string[], to: Partial<Draft>) =>
    of.setDrafts((before) => {
      const next = new Map(before)
      for (const name of which) next.set(name, { ...(before.get(name) ?? EMPTY_DRAFT), ...to })
      return next
    })
  return (
    <Card title={names.length === 1 ? '1 variant' : `${names.length} variants`}>
      {names.length > VARIANTS_MAX ? (
        <Text size="sm" c="var(--bad)" role="alert">
          The limit is {VARIANTS_MAX} variants. Remove a value or an option.
        </Text>
      ) : names.length > ROWS_MAX ? (
        <Text size="sm" c="dimmed">
          Set the prices and stock of these variants after you create the product.
        </Text>
      ) : (
        <>
          {names.length > 1 && (
            <BulkVariantEdit
              count={names.length}
              total={0}
              text=""
              search={() => undefined}
              currency="NGN"
              apply={(to) => change(names, to)}
            />
          )}
          <VariantRows
            currency="NGN"
            price={price === '' ? undefined : Number(price)}
            rows={names.map((name) => ({
              key: name,
              name,
              draft: of.drafts.get(name) ?? EMPTY_DRAFT,
            }))}
            change={(name, to) => change([name], to)}
          />
        </>
      )}
    </Card>
  )
}

export function NewImages({ of }: { of: Extras }) {
  return (
    <Card title="Images">
      <Text size="sm" c="dimmed" mb="sm">
        Payers see the first image on your pages. You can add images for variants after you create
        the product.
      </Text>
      {of.pictures.length > 0 && (
        <ul className="gallery" aria-label="Images to add">
          {of.pictures.map((file, i) => (
            <li key={keyOf(file)} className={i === 0 ? 'picture first' : 'picture'}>
              <LocalPicture of={file} />
              <ActionIcon
                variant="default"
                size="sm"
                aria-label={`Remove ${file.name}`}
                onClick={() => of.setPictures(of.pictures.filter((one) => one !== file))}
              >
                <IconTrash size={14} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      <Choose
        verb="Choose images"
        icon={<IconPhotoPlus size={14} />}
        limits={IMAGES}
        files={of.pictures}
        setFiles={of.setPictures}
      />
    </Card>
  )
}

export function NewFiles({ of }: { of: Extras }) {
  return (
    <Card title="Files">
      <Text size="sm" c="dimmed" mb="sm">
        Payers get a link to each file by email after they pay. You can limit downloads after you
        create the product.
      </Text>
      {of.files.map((file) => (
        <Group key={keyOf(file)} justify="space-between" wrap="nowrap" mb="xs">
          <Text size="sm" className="breaks">
            {file.name} · {bytesOf(file.size)}
          </Text>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove ${file.name}`}
            onClick={() => of.setFiles(of.files.filter((one) => one !== file))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Choose
        verb="Choose files"
        icon={<IconUpload size={14} />}
        limits={FILES}
        files={of.files}
        setFiles={of.setFiles}
      />
    </Card>
  )
}

/** Adds the chosen files that are acceptable, and explains why the others are refused. */
function Choose({
  verb,
  icon,
  limits,
  files,
  setFiles,
}: {
  verb: string
  icon: React.ReactNode
  limits: { types?: readonly string[]; bytesMax: number; says: string }
  files: readonly File[]
  setFiles(files: readonly File[]): void
}) {
  const [refused, refuse] = useState<string[]>([])
  const add = (chosen: File[]) => {
    const faults = chosen.map((file) => uploadErrorOf(file, limits))
    refuse(chosen.flatMap(({ name }, i) => (faults[i] ? [`${name}: ${faults[i]}`] : [])))
    const known = new Set(files.map(keyOf))
    setFiles([...files, ...chosen.filter((file, i) => !faults[i] && !known.has(keyOf(file)))])
  }
  return (
    <>
      <DropZone verb={verb} icon={icon} says={limits.says} types={limits.types} onFiles={add} />
      {refused.map((text) => (
        <Text key={text} size="sm" c="var(--bad)" mt="xs" role="alert" className="breaks">
          {text}
        </Text>
      ))}
    </>
  )
}

function LocalPicture({ of }: { of: File }) {
  const picture = useRef<HTMLImageElement>(null)
  useEffect(() => {
    const url = URL.createObjectURL(of)
    picture.current!.src = url
    return () => URL.revokeObjectURL(url)
  }, [of])
  return <img ref={picture} alt={of.name} />
}

const keyOf = ({ name, size, lastModified }: File): string => `${name} ${size} ${lastModified}`
