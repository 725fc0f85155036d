import jsqr from "jsqr";
import png from "pngjs";

// What a decoder that has nothing to do with whoever drew it reads in a PNG.
export function decodeQr(bytes) {
  const { data, width, height } = png.PNG.sync.read(bytes);
  return jsqr(new Uint8ClampedArray(data), width, height)?.data;
}
