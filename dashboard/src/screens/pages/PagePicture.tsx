import { Button, Input } from '@mantine/core'
import { IconPhotoPlus } from '@tabler/icons-react'
import { useId } from 'react'
import { DropZone } from '../../parts/DropZone.tsx'
import { PICTURES } from '../../parts/pictures.ts'
import { Uploads, useUploads } from '../../parts/uploads.tsx'
import { pictureAt } from '../../parts/values.tsx'
import { t } from '../../texts/pages.ts'
import type { PartProps } from './PageForm.tsx'

/** The picture at the top of a page: sent at once, and shown once the page is saved. */
export function PagePicture({ form }: PartProps) {
  const id = useId()
  const uploads = useUploads(`pages/picture/${id}`, {
    ...PICTURES,
    path: 'payment-service/payment-pages/upload-page-image',
    onDone: (answer) => form.setFieldValue('image', (answer as { data: { url: string } }).data.url),
  })
  const { image } = form.values
  const shown = pictureAt(image)
  return (
    <Input.Wrapper
      label={t.picture}
      description={t.aboveTheTitleWideOnes}
      error={form.errors.image}
      labelElement="div"
    >
      {image ? (
        <div className="page-picture" style={{ marginTop: 8 }}>
          {shown ? (
            <img src={shown} alt="Cover of the page" />
          ) : (
            <span className="breaks">{image}</span>
          )}
          <DropZone
            verb={t.takeAnother}
            icon={<IconPhotoPlus size={14} />}
            says=""
            types={PICTURES.types}
            multiple={false}
            onFiles={uploads.add}
          />
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            onClick={() => form.setFieldValue('image', '')}
          >
            {t.takeItOff}
          </Button>
        </div>
      ) : (
        <div style={{ marginTop: 8 }}>
          <DropZone
            verb={t.chooseAPicture}
            icon={<IconPhotoPlus size={14} />}
            says={PICTURES.says.replace(' each', '')}
            types={PICTURES.types}
            multiple={false}
            onFiles={uploads.add}
          />
        </div>
      )}
      <Uploads {...uploads} />
    </Input.Wrapper>
  )
}
