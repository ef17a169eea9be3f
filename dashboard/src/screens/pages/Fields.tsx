import { Checkbox, Group, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { Card } from '../../parts/DetailPage.tsx'
import { AddOne, TakeOut } from '../../parts/several.tsx'
import { t } from '../../texts/pages.ts'
import type { PartProps } from './PageForm.tsx'
import { ANSWERS, newField } from './values.ts'

const TYPES = Object.entries(ANSWERS).map(([value, label]) => ({ value, label }))

/** What payers are asked beside their e-mail address. */
export function Fields({ form }: PartProps) {
  const { customFields } = form.values
  return (
    <Card title={t.whatPayersAreAsked}>
      <Stack>
        <Checkbox
          label={t.theirPhoneNumber}
          {...form.getInputProps('collectPhone', { type: 'checkbox' })}
        />
        <Checkbox
          label={t.theirAddress}
          description={t.goodsAskForIt}
          {...form.getInputProps('collectAddress', { type: 'checkbox' })}
        />
        {customFields.map(({ key, type }, i) => (
          <Group
            key={key}
            align="flex-start"
            gap="xs"
            role="group"
            aria-label={t.questionNumbered(i + 1)}
            className="framed"
          >
            <TextInput
              label={t.question}
              required
              style={{ flex: '2 1 10rem' }}
              {...form.getInputProps(`customFields.${i}.label`)}
            />
            <Select
              label={t.answer}
              data={TYPES}
              allowDeselect={false}
              style={{ flex: '1 1 7rem' }}
              {...form.getInputProps(`customFields.${i}.type`)}
            />
            <TakeOut
              what={`question ${i + 1}`}
              onClick={() => form.removeListItem('customFields', i)}
            />
            {type === 'select' && (
              <TagsInput
                label={t.choices}
                description={t.typeOneThenPressEnter}
                style={{ flex: '1 1 100%' }}
                {...form.getInputProps(`customFields.${i}.options`)}
              />
            )}
            <Checkbox
              label={t.itMustBeAnswered}
              style={{ flex: '1 1 100%' }}
              {...form.getInputProps(`customFields.${i}.required`, { type: 'checkbox' })}
            />
          </Group>
        ))}
        <AddOne
          label={t.addAQuestion}
          onClick={() => form.insertListItem('customFields', newField())}
        />
      </Stack>
    </Card>
  )
}
