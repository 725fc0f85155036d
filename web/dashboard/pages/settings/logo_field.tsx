import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../../app/i18n";
import { Button } from "../../components/button";

const bytesMax = 24 * 1024;
const side = 96; // of the shown picture, in CSS pixels

const dataUrlOf = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

function blobOf(dataUrl: string): Blob {
  const [head = "", data = ""] = dataUrl.split(",", 2);
  return new Blob([Uint8Array.from(atob(data), (each) => each.charCodeAt(0))], { type: /^data:([^;]+)/.exec(head)?.[1] ?? "" });
}

// Drawn on a canvas, since the pages' policy forbids images from data URLs.
export function Picture({ dataUrl }: { dataUrl: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    let isLeft = false;
    createImageBitmap(blobOf(dataUrl))
      .then((image) => {
        const { current } = canvas;
        if (isLeft || !current) return;
        const scale = Math.min(side / image.width, side / image.height, 1) * 2;
        current.width = image.width * scale;
        current.height = image.height * scale;
        current.getContext("2d")?.drawImage(image, 0, 0, current.width, current.height);
        setBroken(false);
      })
      .catch(() => setBroken(true));
    return () => {
      isLeft = true;
    };
  }, [dataUrl]);
  return broken ? <p class="field-error">{t("stLogoBroken")}</p> : <canvas ref={canvas} class="logo-picture" role="img" aria-label={t("stLogo")} width={0} height={0} />;
}

/** A PNG or WebP as a data URL; "" for none. */
export function LogoField({ value, error, onChange }: { value: string; error?: string; onChange(dataUrl: string): void }) {
  const id = useId();
  const [wrong, setWrong] = useState("");
  const read = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    if (!/^image\/(png|webp)$/.test(file.type)) return setWrong(t("stLogoType"));
    if (file.size > bytesMax) return setWrong(t("stLogoSize"));
    setWrong("");
    onChange(await dataUrlOf(file));
  };
  const problem = wrong || error;
  return (
    <div class="field">
      <label for={id}>{t("stLogo")}</label>
      {value && <Picture dataUrl={value} />}
      <input
        id={id}
        type="file"
        accept="image/png,image/webp"
        aria-describedby={problem ? `${id}-error ${id}-hint` : `${id}-hint`}
        aria-invalid={problem ? "true" : undefined}
        onChange={(event) => void read(event.currentTarget)}
      />
      {problem && (
        <p class="field-error" id={`${id}-error`}>
          {problem}
        </p>
      )}
      <p class="hint" id={`${id}-hint`}>
        {t("stLogoHint")}
      </p>
      {value && (
        <div class="actions">
          <Button onClick={() => onChange("")}>{t("stLogoRemove")}</Button>
        </div>
      )}
    </div>
  );
}
